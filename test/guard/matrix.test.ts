/**
 * The matrix: ordinary situations from real work, in which nothing may be blocked, and true conflicts, in which nothing may
 * be lost. Each row is an agent with real files and real commands, through the engine, as hosts use it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { EngineAgent, EngineProject } from "../rig/engine-agent.ts";
import { CONFLICTS, type Conflict, USER } from "./conflicts.ts";
import { ORDINARY, type Ordinary } from "./ordinary.ts";

const project = new EngineProject();
after(() => project[Symbol.dispose]());

function start({ files = {}, git = false, cwd = "." }: Ordinary | Conflict): { agent: EngineAgent; folder: string } {
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

describe("ordinary situations", () => {
	for (const row of ORDINARY) {
		test(row.name, () => {
			const { agent } = start(row);
			row.play(agent);
			const { ahead } = project;
			project.ahead = 0;
			const bad = agent.got.filter(({ action, isError }) => action === "block" || isError);
			assert.deepEqual(
				bad.map(({ text }) => text),
				[],
			);
			assert.ok(agent.got.length > 0 && ahead >= 0);
		});
	}
});

describe("true conflicts", () => {
	for (const row of CONFLICTS) {
		test(row.name, async () => {
			const { agent, folder } = start(row);
			row.play(agent);
			const last = agent.got.at(-1)!;
			const isKept = filesIn(folder).some((path) => readFileSync(path, "utf8").includes(USER));
			const wasTold = agent.got.slice(0, -1).some(({ text }) => text.includes(USER));
			if (row.how === "kept") {
				const handle = /\[weft\] .*lcm_expand\("(b-[0-9a-f]+)"\)/.exec(last.text)?.[1];
				const kept = handle && (await project.engine.expand(handle));
				assert.deepEqual([last.action, JSON.stringify(kept).includes(USER)], ["pass", true], last.text);
			} else if (row.how === "waits") assert.deepEqual([last.action, isKept], ["block", true], last.text);
			else assert.deepEqual([last.action, wasTold], ["pass", true], agent.got.map(({ text }) => text).join("\n---\n"));
		});
	}
});

test("the matrix is large enough", (t) => {
	const count = (of: Conflict["how"]) => CONFLICTS.filter(({ how }) => how === of).length;
	t.diagnostic(
		`${ORDINARY.length} ordinary situations, ${CONFLICTS.length} conflicts (${count("waits")} wait, ${count("told")} told, ${count("kept")} kept)`,
	);
	assert.ok(ORDINARY.length >= 60);
	assert.ok(CONFLICTS.length >= 30);
	assert.equal(new Set([...ORDINARY, ...CONFLICTS].map(({ name }) => name)).size, ORDINARY.length + CONFLICTS.length);
});

function filesIn(folder: string): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
		entry.isFile() && !entry.parentPath.includes(".git") ? [join(entry.parentPath, entry.name)] : [],
	);
}
