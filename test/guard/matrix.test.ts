/**
 * The matrix: ordinary situations from real work, in which nothing may be blocked and every note must be true, and true
 * conflicts, in which nothing may be lost. Each row is an agent with real files and real commands, through the engine, as
 * hosts use it: in one process, in a process for each hook, and in report mode.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";
import { CONFLICTS, type Conflict, USER } from "./conflicts.ts";
import { summarizeNote } from "./note-summary.ts";
import { ORDINARY as FIRST, type Ordinary } from "./ordinary.ts";
import { ORDINARY_MORE } from "./ordinary-more.ts";

const ORDINARY = [...FIRST, ...ORDINARY_MORE];

const projects = {
	enforce: new EngineProject(),
	"a process for each hook": new EngineProject({ isPerHook: true }),
	report: new EngineProject({ env: { WEFT_POLICY_MODE: "report" } }),
};
after(() => {
	for (const project of Object.values(projects)) project[Symbol.dispose]();
});

interface Scene {
	readonly agent: EngineAgent;
	readonly folder: string;
}

function start(project: EngineProject, { files = {}, git = false, cwd = "." }: Ordinary | Conflict): Scene {
	const folder = project.folder();
	const agent = new EngineAgent(project, join(folder, cwd));
	const root = new EngineAgent(project, folder);
	for (const [name, text] of Object.entries(files)) root.put(name, text);
	if (git) {
		const line = "git init -q && git add -A && git -c user.name=t -c user.email=t commit -qm start";
		const config = "git config user.name t && git config user.email t";
		execFileSync("sh", ["-c", `${line} && ${config}`], { cwd: folder });
	}
	return { agent, folder };
}

function play(project: EngineProject, row: Ordinary | Conflict): Scene {
	const scene = start(project, row);
	row.play(scene.agent);
	project.ahead = 0;
	assert.ok(scene.agent.got.length > 0);
	return scene;
}

function notesOf({ agent, folder }: Scene): string[] {
	return agent.got.flatMap(({ notes }) => notes).map((note) => summarizeNote(note).replaceAll(`${folder}/`, ""));
}

function assertNoBlock({ agent }: Scene): void {
	const bad = agent.got.filter(({ action, isError }) => action === "block" || isError);
	assert.deepEqual(
		bad.map(({ text }) => text),
		[],
	);
}

for (const name of ["enforce", "a process for each hook"] as const) {
	const project = projects[name];
	describe(`ordinary situations, ${name}`, () => {
		for (const row of ORDINARY) {
			if (name !== "enforce" && row.isHeld) continue;
			test(row.name, () => {
				const scene = play(project, row);
				assertNoBlock(scene);
				assert.deepEqual(notesOf(scene), row.notes ?? []);
			});
		}
	});

	describe(`true conflicts, ${name}`, () => {
		for (const row of CONFLICTS) {
			test(row.name, async () => {
				const { agent, folder } = play(project, row);
				const last = agent.got.at(-1)!;
				if (row.how === "waits") return assert.deepEqual([last.action, isOnDisk(folder)], ["block", true], last.text);
				if (row.how === "told") {
					const wasTold = agent.got.slice(0, -1).some(({ text }) => text.includes(USER));
					return assert.deepEqual([last.action, wasTold], ["pass", true], agent.got.map(({ text }) => text).join("\n"));
				}
				const handle = /\[weft\] .*lcm_expand\("(b-[0-9a-f]+)"\)/.exec(last.text)?.[1];
				const kept = handle && (await project.engine.expand(handle));
				// Bytes that are not UTF-8 come as base64.
				const isHeld = JSON.stringify(kept ?? "").includes(USER) || (kept !== undefined && isKept(project, agent));
				assert.deepEqual([last.action, isHeld], ["pass", true], last.text);
			});
		}
	});
}

/** Notes that are not about files that changed on disk are remarks of the guard, which report mode does not make. */
const REPORTED = /^(?:own|maybe|other|beside|filled) /;

describe("ordinary situations, report", () => {
	for (const row of ORDINARY) {
		if (row.isEnforced) continue;
		test(row.name, () => {
			const scene = play(projects.report, row);
			assertNoBlock(scene);
			const expected = (row.notes ?? []).flatMap((note) =>
				note.replace(/^(\S+) (.*?)(?: [-+].*| \d+ lines)?$/s, "$1 $2"),
			);
			for (const note of notesOf(scene)) {
				assert.match(note, REPORTED);
				const [by, path] = /^(\S+) (.*?)(?: [-+].*| \d+ lines)?$/s.exec(note)?.slice(1) ?? [];
				assert.ok(
					expected.some((said) => said.includes(`${by} `) && said.includes(path?.split(",")[0] ?? "?")),
					`${note}\nexpected ${expected.join("; ")}`,
				);
			}
		});
	}
});

describe("true conflicts, report", () => {
	for (const row of CONFLICTS) {
		test(row.name, () => {
			const { agent, folder } = play(projects.report, row);
			assert.ok(agent.got.every(({ action }) => action === "pass"));
			const wasTold = agent.got.some(({ text }) => text.includes(USER));
			assert.ok(isOnDisk(folder) || wasTold || isKept(projects.report, agent), agent.got.at(-1)?.text);
		});
	}
});

test("the matrix is large enough", (t) => {
	const count = (of: Conflict["how"]) => CONFLICTS.filter(({ how }) => how === of).length;
	t.diagnostic(
		`${ORDINARY.length} ordinary situations, ${CONFLICTS.length} conflicts (${count("waits")} wait, ${count("told")} told, ${count("kept")} kept)`,
	);
	assert.ok(ORDINARY.length >= 150);
	assert.ok(CONFLICTS.length >= 80);
	assert.equal(new Set([...ORDINARY, ...CONFLICTS].map(({ name }) => name)).size, ORDINARY.length + CONFLICTS.length);
});

/** The log has the text: kept before a command or a change, or with a verdict. */
function isKept({ engine: { log } }: EngineProject, { session }: EngineAgent): boolean {
	for (const { payload } of log.read({ session, types: ["FilesKept", "Verdict"] })) {
		const versions = (payload["files"] ?? []) as readonly { readonly hash?: string }[];
		const hashes = [payload["blob"], ...versions.map(({ hash }) => hash)];
		if (hashes.some((hash) => typeof hash === "string" && log.getBlob(hash)?.includes(USER))) return true;
	}
	return false;
}

function isOnDisk(folder: string): boolean {
	return filesIn(folder).some((path) => readFileSync(path, "utf8").includes(USER));
}

function filesIn(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
		entry.isFile() && !entry.parentPath.includes(".git") ? [join(entry.parentPath, entry.name)] : [],
	);
}
