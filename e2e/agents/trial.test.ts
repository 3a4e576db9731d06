/** `weft trial` with the real Pi and the real Claude Code against a scripted model, and a control share in daily use. */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { startModelServer } from "../../test/rig/model-server.ts";
import { makePiProgram, piEnvironment, writePiModels } from "../../test/rig/pi.ts";
import { makePiWorkspace } from "../../test/rig/workspace.ts";
import { AgentWorld } from "./agent-world.ts";

const MAIN = fileURLToPath(new URL("../../dist/show/cli/main.js", import.meta.url));
const FILES = 14;

/** Reads file after file, then writes done.txt. A run begins where the request has no result yet. */
function longTask(
	name: { readonly read: string; readonly write: string },
	argument: string,
): (request: ModelRequest) => ModelAnswer {
	return ({ json }) => {
		const messages = (json["messages"] as { readonly content: unknown }[]) ?? [];
		const text = JSON.stringify(messages);
		const step = Math.max(-1, ...[...text.matchAll(/"id":"step-(\d+)"/g)].map(([, n]) => Number(n))) + 1;
		if (!text.includes("Read them all") && step === 0) return { text: "A title" };
		if (step < FILES)
			return { toolCalls: [{ id: `step-${step}`, name: name.read, args: { [argument]: `f${step}.js` } }] };
		if (step === FILES)
			return {
				toolCalls: [{ id: `step-${step}`, name: name.write, args: { [argument]: "done.txt", content: "yes\n" } }],
			};
		return { text: "Done." };
	};
}

interface TrialReport {
	readonly control: { readonly sessions: number; readonly requests: number; readonly passed: number };
	readonly weft: { readonly sessions: number; readonly requests: number; readonly passed: number };
	readonly cost: { readonly value: number; readonly low: number; readonly high: number };
}

const body = Array.from({ length: 500 }, (_, n) => `export const value_${n} = "text ${n} of a file, kept";`).join("\n");
const files = Object.fromEntries(Array.from({ length: FILES }, (_, n) => [`f${n}.js`, `${body}\n`]));

test("Pi does a task with and without weft, in copies, and the prompt was shortened in one half only", async (t) => {
	using workspace = makePiWorkspace({ files });
	const model = await startModelServer(longTask({ read: "read", write: "write" }, "path"));
	t.after(() => model.close());
	const cost = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
	writePiModels(workspace, model.url, { contextWindow: 120_000, cost });
	const bin = makePiProgram(join(workspace.userHome, "bin"));
	const env = {
		...piEnvironment(workspace),
		PATH: [bin, process.env["PATH"]].join(delimiter),
		TMPDIR: workspace.userHome,
	};
	const world = await AgentWorld.start("claude", []);
	t.after(() => world.close());
	const weft = (...args: string[]) => world.run(process.execPath, [MAIN, "--project", workspace.project, ...args], env);

	const asked = await weft("trial", "--task", "Read them all", "pi");
	assert.equal(asked.code, 2, asked.err);
	assert.match(asked.err, /Pi will do the task 6 times, 3 with weft and 3 without[\s\S]*no recorded session of Pi/);
	assert.equal(model.requests.length, 0, "nothing is asked before the user says yes");

	const trial = [
		"trial",
		"--task",
		"Read them all",
		"--check",
		"test -f done.txt",
		"--repeat",
		"2",
		"--yes",
		"--json",
		"pi",
	];
	const { code, out, err } = await weft(...trial);
	assert.equal(code, 0, err);
	const report = JSON.parse(out) as TrialReport;
	assert.deepEqual([report.control.passed, report.weft.passed], [2, 2], err);
	assert.equal(report.control.requests, 2 * (FILES + 2));
	assert.ok(report.cost.value > 0 && report.cost.value < 1, JSON.stringify(report.cost));
	assert.ok(!readdirSync(workspace.project).includes("done.txt"), "the project itself is as it was");
	assert.deepEqual(
		readdirSync(workspace.userHome).filter((name) => name.startsWith("weft-trial-")),
		[],
	);
});

test("with a control share Pi's session is recorded as one that was not shortened, and the report compares", async (t) => {
	using workspace = makePiWorkspace({ files });
	const model = await startModelServer(longTask({ read: "read", write: "write" }, "path"));
	t.after(() => model.close());
	writePiModels(workspace, model.url, { contextWindow: 120_000 });
	const bin = makePiProgram(join(workspace.userHome, "bin"));
	const env = {
		...piEnvironment(workspace),
		PATH: [bin, process.env["PATH"]].join(delimiter),
		WEFT_CONTROL_SHARE: "1",
	};
	const world = await AgentWorld.start("claude", []);
	t.after(() => world.close());
	const weft = (...args: string[]) => world.run(process.execPath, [MAIN, "--project", workspace.project, ...args], env);
	const ran = await weft("run", "pi", "-p", "Read them all");
	assert.equal(ran.code, 0, ran.err);
	const sizes = model.requests.map(({ body: { length } }) => length);
	assert.deepEqual(
		sizes.toSorted((one, other) => one - other),
		sizes,
		"no prompt is shorter than the one before",
	);
	const { out } = await weft("trial", "--report");
	assert.match(out, /without shortening +1 +16 /);
	assert.match(out, /Too few to compare/);
});

test("Claude Code does a task with and without weft behind the proxy", async (t) => {
	const script = longTask({ read: "Read", write: "Bash" }, "file_path");
	const answer = (request: ModelRequest): ModelAnswer => {
		const { toolCalls = [], ...rest } = script(request);
		const calls = toolCalls.map((call) =>
			call.name === "Bash" ? { ...call, args: { command: "echo yes > done.txt" } } : call,
		);
		return { ...rest, toolCalls: calls };
	};
	const world = await AgentWorld.start("claude", answer, { files: FILES });
	t.after(() => world.close());
	const config = join(world.user, ".claude");
	mkdirSync(config);
	const env = world.claudeEnv();
	const args = ["trial", "--task", "Read them all", "--check", "test -f done.txt", "--repeat", "1", "--yes", "--json"];
	const { code, out, err } = await world.weft([...args, "claude", "--allowedTools", "Read,Bash"], env);
	assert.equal(code, 0, err);
	const report = JSON.parse(out) as TrialReport;
	assert.deepEqual([report.control.passed, report.weft.passed], [1, 1], err);
	assert.ok(report.control.requests > FILES && report.weft.requests > FILES, out.slice(0, 400));
	assert.equal(report.cost, null, "one run each says nothing");
});
