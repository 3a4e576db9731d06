/**
 * The matrix: ordinary situations from real work, in which nothing may be blocked and every note must be true, and true
 * conflicts, in which nothing may be lost. Each row is an agent with real files and real commands, through the hooks of its
 * adapter, in enforce and in report. Here each row runs in one agent; with `WEFT_MATRIX=all` in every agent.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { HookedClaudeCode } from "../rig/hooked/claude-code.ts";
import { HookedCodex } from "../rig/hooked/codex.ts";
import { HookedOpenClaw } from "../rig/hooked/openclaw.ts";
import { HookedOpencode } from "../rig/hooked/opencode.ts";
import { HookedPi } from "../rig/hooked/pi.ts";
import type { HookedAgent, HookedPlace } from "../rig/hooked-agent.ts";
import { removeFolder, temporaryFolder } from "../rig/temporary-folder.ts";
import { CONFLICTS, type Conflict, USER } from "./conflicts.ts";
import { summarizeNote } from "./note-summary.ts";
import { ORDINARY as FIRST, type Ordinary } from "./ordinary.ts";
import { ORDINARY_MORE } from "./ordinary-more.ts";

const ORDINARY = [...FIRST, ...ORDINARY_MORE];

const AGENTS = {
	pi: (place: HookedPlace, cwd: string) => new HookedPi(place, cwd),
	"claude-code": (place: HookedPlace, cwd: string) => new HookedClaudeCode(place, cwd),
	codex: (place: HookedPlace, cwd: string) => new HookedCodex(place, cwd),
	opencode: (place: HookedPlace, cwd: string) => new HookedOpencode(place, cwd),
	openclaw: (place: HookedPlace, cwd: string) => new HookedOpenClaw(place, cwd),
	/** Without a resident: nothing is in memory when a result comes. */
	"codex, a process for each hook": (place: HookedPlace, cwd: string) => new HookedCodex(place, cwd, { stays: false }),
};
type AgentName = keyof typeof AGENTS;
type Row = Ordinary | Conflict;

const NAMES = Object.keys(AGENTS) as AgentName[];
const CHOSEN = process.env["WEFT_MATRIX"];

/** The agents that play a row: by default one, another in each mode. */
function agentsFor(nth: number, names: readonly AgentName[]): readonly AgentName[] {
	if (CHOSEN === "all") return names;
	if (CHOSEN !== undefined) return names.filter((name) => name === CHOSEN);
	return [names[nth % names.length]!];
}

interface Scene {
	readonly agent: HookedAgent;
	readonly folder: string;
}

async function play(
	name: AgentName,
	row: Row,
	env: NodeJS.ProcessEnv,
	check: (scene: Scene) => unknown,
): Promise<void> {
	const root = temporaryFolder();
	const folder = join(root, "work", "project");
	const { files = {}, git = false, cwd = "." } = row;
	for (const [path, text] of Object.entries({ ...files })) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	mkdirSync(join(folder, cwd), { recursive: true });
	if (git) {
		const line = "git init -q && git add -A && git -c user.name=t -c user.email=t commit -qm start";
		const config = "git config user.name t && git config user.email t";
		execFileSync("sh", ["-c", `${line} && ${config}`], { cwd: folder });
	}
	const place = { folder, home: join(root, "home"), own: join(root, "own"), env, ahead: 0 };
	const agent = AGENTS[name](place, join(folder, cwd));
	try {
		await row.play(agent);
		assert.ok(agent.got.length > 0);
		await check({ agent, folder });
		const faults = [...agent.engine.log.read({ types: ["Fault"] })].map(({ payload }) => payload);
		assert.deepEqual(faults, []);
	} finally {
		await agent.close();
		removeFolder(root);
	}
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

function expectedIn({ notes = [], without }: Ordinary, { traits }: HookedAgent) {
	if (without === undefined || traits.has(without.trait)) return { notes, waits: false };
	return { notes: without.notes ?? [], waits: without.waits === true };
}

/** The user's text is on the disk, the model has seen it, or the log has it. */
function assertNothingLost({ agent, folder }: Scene): void {
	const wasTold = agent.got.some(({ text }) => text.includes(USER));
	assert.ok(isOnDisk(folder) || wasTold || isKept(agent), agent.got.at(-1)?.text);
}

function each(rows: readonly Row[], shift: number, run: (name: AgentName, row: Row) => Promise<void>): void {
	for (const [nth, row] of rows.entries())
		for (const name of agentsFor(nth + shift, NAMES)) test(`${row.name} (${name})`, () => run(name, row));
}

describe("ordinary situations, enforce", () => {
	each(ORDINARY, 0, (name, row) =>
		play(name, row, {}, (scene) => {
			const { notes, waits } = expectedIn(row as Ordinary, scene.agent);
			if (waits) return assert.equal(scene.agent.got.at(-1)?.action, "block");
			assertNoBlock(scene);
			assert.deepEqual(notesOf(scene), notes);
		}),
	);
});

describe("true conflicts, enforce", () => {
	each(CONFLICTS, 0, (name, row) =>
		play(name, row, {}, async ({ agent, folder }) => {
			const last = agent.got.at(-1)!;
			const { how, needs } = row as Conflict;
			if (needs !== undefined && !agent.traits.has(needs)) return assertNothingLost({ agent, folder });
			if (how === "waits") return assert.deepEqual([last.action, isOnDisk(folder)], ["block", true], last.text);
			if (how === "told") {
				const wasTold = agent.got.slice(0, -1).some(({ text }) => text.includes(USER));
				return assert.deepEqual([last.action, wasTold], ["pass", true], agent.got.map(({ text }) => text).join("\n"));
			}
			const handle = /\[weft\] .*lcm_expand\("(b-[0-9a-f]+)"\)/.exec(last.text)?.[1];
			const kept = handle && (await agent.engine.expand(handle));
			// Bytes that are not UTF-8 come as base64.
			const isHeld = JSON.stringify(kept ?? "").includes(USER) || (kept !== undefined && isKept(agent));
			assert.deepEqual([last.action, isHeld], ["pass", true], last.text);
		}),
	);
});

/** Notes that are not about files that changed on disk are remarks of the guard, which report mode does not make. */
const REPORTED = /^(?:own|maybe|left|other|beside|filled) /;
const REPORT = { WEFT_POLICY_MODE: "report" };

describe("ordinary situations, report", () => {
	each(
		ORDINARY.filter((row) => !row.isEnforced),
		2,
		(name, row) =>
			play(name, row, REPORT, (scene) => {
				const { notes, waits } = expectedIn(row as Ordinary, scene.agent);
				// The tool itself fails there.
				if (waits) return;
				assertNoBlock(scene);
				const expected = notes.flatMap((note) => note.replace(/^(\S+) (.*?)(?: [-+].*| \d+ lines)?$/s, "$1 $2"));
				for (const note of notesOf(scene)) {
					assert.match(note, REPORTED);
					const [by, path] = /^(\S+) (.*?)(?: [-+].*| \d+ lines)?$/s.exec(note)?.slice(1) ?? [];
					assert.ok(
						expected.some((said) => said.includes(`${by} `) && said.includes(path?.split(",")[0] ?? "?")),
						`${note}\nexpected ${expected.join("; ")}`,
					);
				}
			}),
	);
});

describe("true conflicts, report", () => {
	each(CONFLICTS, 3, (name, row) =>
		play(name, row, REPORT, ({ agent, folder }) => {
			assert.ok(agent.got.every(({ action }) => action === "pass"));
			assertNothingLost({ agent, folder });
		}),
	);
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
function isKept({ engine: { log }, session }: HookedAgent): boolean {
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
