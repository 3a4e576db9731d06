/**
 * The real Codex with hooks that a resident answers: two hooks for each call go through one process, which may be killed, be
 * replaced by another version, or be unable to run. Codex carries on in each case.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { residentAddress } from "../../src/agent/resident/address.ts";
import type { ModelAnswer, ScriptedCall } from "../../test/rig/answer.ts";
import { installedCopy, type Ran, signalGroup } from "./agent-world.ts";
import { CodexWorld, outputOf } from "./codex-world.ts";

const FILES = { "rates.mjs": "export const rate = 7;\nexport const floor = 1;\n" };

const step = (call: ScriptedCall, more: ModelAnswer = {}): ModelAnswer => ({ ...more, toolCalls: [call] });

function assertDone({ code, out, err }: Ran, says: RegExp): void {
	assert.equal(code, 0, `${err.slice(-2_000)}\n${out.slice(-2_000)}`);
	assert.match(out, says);
}

async function trusted(t: TestContext, main?: string): Promise<CodexWorld> {
	const world = await CodexWorld.start(FILES);
	t.after(() => world.base.close());
	const { base, env } = world;
	world.configureLab();
	const init = ["init", "codex", "--yes"];
	const done = main === undefined ? base.weft(init, env) : base.run(process.execPath, [main, ...init], env);
	assertDone(await done, /done/);
	// The first hook answers by itself where there is no data yet.
	assertDone(await base.weft(["log", "add", "first"], env), /./);
	assert.deepEqual(await world.trustHooks(), Array(6).fill("trusted"));
	return world;
}

test("one resident answers all hooks of a session: calls are judged, and a file that a command made can be written over", async (t) => {
	const world = await trusted(t);
	const { base, env, script } = world;
	writeFileSync(world.path("npm"), "#!/bin/sh\nprintf '{\\n}\\n' > package.json\n", { mode: 0o755 });
	const made = world.shell('PATH="$PWD:$PATH"; npm init -y');
	const over = script.call(
		"apply_patch",
		{},
		{ input: "*** Begin Patch\n*** Add File: package.json\n+{ }\n*** End Patch\n" },
	);
	const unread = world.patch("rates.mjs", "export const rate = 7;", "export const rate = 8;");
	script.add(step(made), step(over), step(unread), step(world.read("rates.mjs")), step(unread), { text: "Done." });
	assertDone(await base.run("codex", world.exec("Make it."), env), /Done\./);
	assert.equal(base.residents().length, 1);
	assert.equal(readFileSync(world.path("package.json"), "utf8"), "{ }\n");
	assert.doesNotMatch(outputOf(world.turns, over), /has not been read/);
	assert.deepEqual(
		base.events("Fault").map(({ payload }) => payload),
		[],
	);
	assert.ok(base.events("ToolResult").length >= 5);
});

test("a resident that is killed in the middle of a session costs nothing, and another takes its place", async (t) => {
	const world = await trusted(t);
	const { base, env, script } = world;
	const killed: number[] = [];
	// At some moment between two hooks, or of a hook.
	const kill = (at: number) => {
		if (at % 4 !== 1) return;
		for (const pid of base.residents()) {
			killed.push(pid);
			signalGroup(pid, "SIGKILL");
		}
	};
	const reads = Array.from({ length: 12 }, (_, at) => world.read(`f${at}.js`));
	const stale = world.patch("rates.mjs", "export const rate = 7;", "export const rate = 8;");
	const steps = reads.map((read, at) => () => {
		setTimeout(() => kill(at), at * 5);
		return step(read);
	});
	script.add(...steps, step(stale), { text: "Done." });
	assertDone(await base.run("codex", world.exec("Read it."), env), /Done\./);
	assert.ok(killed.length > 0);
	assert.match(outputOf(world.turns, stale), /has not been read/);
	const ids = new Set(base.events("ToolResult").map(({ payload }) => payload["callId"]));
	for (const { id } of reads) assert.ok(ids.has(id), `${id} is in the log`);
});

test("two agents at work in one project, and their resident is killed in the middle of hooks: nothing is lost, and one takes its place", async (t) => {
	const world = await trusted(t);
	const { base, env, script } = world;
	const killed = new Set<number>();
	const reads = Array.from({ length: 16 }, (_, at) => world.read(`f${at}.js`));
	const steps = reads.map((read, at) => () => {
		// The hooks of this call, or those of the other agent's.
		const kill = () => {
			for (const pid of base.residents()) {
				killed.add(pid);
				signalGroup(pid, "SIGKILL");
			}
		};
		if (at % 5 === 3) setTimeout(kill, at * 4);
		return step(read);
	});
	// Whoever asks after them is done.
	script.add(...steps);
	const both = await Promise.all(["One.", "Two."].map((prompt) => base.run("codex", world.exec(prompt), env)));
	for (const ran of both) assertDone(ran, /nothing more to do/);
	assert.ok(killed.size > 1, `${killed.size} residents were killed`);
	assert.ok(base.residents().length <= 1);
	const results = base.events("ToolResult");
	assert.equal(new Set(results.map(({ session }) => session)).size, 2);
	const ids = results.map(({ payload }) => payload["callId"]);
	for (const { id } of reads) assert.equal(ids.filter((each) => each === id).length, 1, `${id} is in the log once`);
	assertDone(await base.weft(["verify"], env), /./);
});

test("a hundred hooks at once start one resident, and each is answered", async (t) => {
	const world = await trusted(t);
	const { base, env } = world;
	const hooks = JSON.parse(readFileSync(join(world.home, "hooks.json"), "utf8"));
	const command: string = hooks.hooks.PreToolUse[0].hooks[0].command;
	const patch = "*** Begin Patch\n*** Update File: rates.mjs\n@@\n-export const rate = 7;\n+x\n*** End Patch";
	const ask = (at: number) =>
		new Promise<string>((resolve) => {
			const child = spawn("sh", ["-c", command], { cwd: base.project, env, stdio: ["pipe", "pipe", "ignore"] });
			let out = "";
			child.stdout.on("data", (chunk) => {
				out += chunk;
			});
			child.once("close", () => resolve(out));
			const of = { tool_name: "apply_patch", tool_input: { command: patch }, tool_use_id: `c${at}` };
			const event = { session_id: `s${at}`, cwd: base.project, hook_event_name: "PreToolUse", ...of };
			child.stdin.end(JSON.stringify(event));
		});
	const answers = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(at)));
	for (const answer of answers) assert.match(answer, /"permissionDecision":"deny".*has not been read/);
	assert.equal(base.residents().length, 1);
	// On a busy machine a resident may be silent for so long that a client answers too.
	assert.equal(new Set(base.events("Verdict").map(({ session }) => session)).size, 100, "each hook was judged");
});

test("an update of weft replaces the resident, and a weft that was removed is said once in a session", async (t) => {
	const installed = installedCopy(t);
	const world = await trusted(t, join(installed, "dist/show/cli/main.js"));
	const { base, env, script } = world;
	const run = async (prompt: string) => {
		script.add(step(world.read("rates.mjs")), { text: "Done." });
		const ran = await base.run("codex", world.exec(prompt), env);
		assertDone(ran, /Done\./);
		return ran;
	};
	await run("First.");
	const [first] = base.residents();
	assert.ok(first);
	const manifest = join(installed, "package.json");
	writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]*"/, '"version": "9.9.9"'));
	await run("Second.");
	const [second, ...others] = base.residents();
	assert.ok(second && second !== first);
	assert.deepEqual(others, []);
	rmSync(installed, { recursive: true });
	const { out, err } = await run("Third.");
	assert.doesNotMatch(`${out}${err}`, /hook/i);
	await gone(second);
	for (let turn = 0; turn < 2; turn++) script.add(step(world.read("rates.mjs")), { text: "Done." });
	const shown = await world.shownOfHooks("Fourth.", "Fifth.");
	assert.ok(shown.length >= 8, `${shown.length} hooks`);
	assert.deepEqual(new Set(shown.map(({ status }) => status)), new Set(["completed"]));
	const [said, ...more] = shown.flatMap(({ texts }) => texts);
	assert.match(said ?? "", /^weft is not installed any more/);
	assert.deepEqual(more, []);
});

test("in a project whose first Node on the PATH is too old, hooks, resident and weft's tools run by the one of weft", async (t) => {
	const world = await trusted(t);
	const { base, env, script } = world;
	base.putOldNodeFirst();
	const unread = world.patch("rates.mjs", "export const rate = 7;", "export const rate = 8;");
	const ask = script.call("lcm_grep", { query: "rate" }, { namespace: "mcp__weft" });
	script.add(step(unread), step(ask), { text: "Done." });
	assertDone(await base.run("codex", world.exec("Change it."), env), /Done\./);
	assert.match(outputOf(world.turns, unread), /has not been read/);
	assert.doesNotMatch(outputOf(world.turns, ask), /unsupported|not found|failed/i);
	assert.equal(base.residents().length, 1);
});

test("a resident whose data folder is removed ends", async (t) => {
	const world = await trusted(t);
	const { base, env, script } = world;
	script.add(step(world.read("rates.mjs")), { text: "Done." });
	assertDone(await base.run("codex", world.exec("Look."), env), /Done\./);
	const [pid] = base.residents();
	assert.ok(pid);
	const address = residentAddress(base.home, base.project);
	assert.ok(address && existsSync(join(address.folder, address.socket)));
	assert.ok(readdirSync(dirname(address.folder)).includes("resident"));
	rmSync(base.home, { recursive: true });
	await gone(pid);
});

/** Within the time of a resident's next look. */
async function gone(pid: number): Promise<void> {
	const until = Date.now() + 30_000;
	for (;;) {
		try {
			process.kill(pid, 0);
		} catch {
			return;
		}
		assert.ok(Date.now() < until, `the resident ${pid} still runs`);
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}
