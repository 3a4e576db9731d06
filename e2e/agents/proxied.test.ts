/** The real Claude Code behind weft's proxy, headless, against a scripted model. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { residentAddress } from "../../src/agent/resident/address.ts";
import { AgentWorld, epochStartsOf, installedCopy, proxyOf } from "./agent-world.ts";
import { type Agent, assertNoSummary, assertSealed, start } from "./many-reads.ts";
import { Script } from "./script.ts";

const CLAUDE: Agent = {
	name: "claude",
	read: (world, file) => ({ name: "Read", args: { file_path: join(world.project, file) } }),
	messages: ({ json }) => json["messages"] as unknown[],
	isTurn: ({ json, path }) => !path.includes("count_tokens") && ((json["tools"] as unknown[]) ?? []).length > 0,
};

test("Claude Code behind the proxy, which is killed in the middle; without weft the session goes on", async (t) => {
	let pid = 0;
	const onStep = (n: number) => {
		if (n === 6) process.kill(proxyOf(pid, world)!, "SIGKILL");
	};
	const world = await start(t, CLAUDE, { onStep });
	const env = world.claudeEnv({
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
	});
	const args = ["--allowedTools", "Read", "--output-format", "stream-json", "--verbose"];
	const ran = await world.weft(["run", "claude", "--", "-p", "read all of it", ...args], env, (started) => {
		pid = started;
	});
	assertNoSummary(world);
	assertSealed(world, CLAUDE, ran);
	const last = world.requests.at(-1)!;
	const again = await world.run("claude", ["-c", "-p", "go on", ...args], env);
	assert.equal(again.code, 0, again.err.slice(-2_000));
	const [before, after] = [last, world.requests.at(-1)!].map(CLAUDE.messages);
	// Where the last answer led to a compaction, there is nobody but the provider to write it.
	const isLed = world.events("UsageRaised").at(-1)?.payload["answer"] === `msg_${last.index}`;
	assert.deepEqual(epochStartsOf([before!, after!]), isLed ? [1] : [], "it goes on with what was sent last");
});

test("an update of weft in the middle of an answer: it comes whole, and the next ones pass the new weft", async (t) => {
	const script = new Script();
	const world = await AgentWorld.start("claude", script.answer);
	t.after(() => world.close());
	const installed = installedCopy(t);
	const manifest = join(installed, "package.json");
	const address = () => residentAddress(world.home, world.project)!;
	let old: number | undefined;
	const reads = Array.from({ length: 8 }, (_, n) =>
		script.call("Read", { file_path: join(world.project, `f${n}.js`), limit: 5 }),
	);
	const update = async () => {
		old = world.residents()[0];
		const { folder, socket } = address();
		writeFileSync(manifest, readFileSync(manifest, "utf8").replace(/"version": "[^"]*"/, '"version": "9.9.9"'));
		// From now on new connections find no resident, and this answer is still on its way.
		while (existsSync(join(folder, socket))) await pause(20);
	};
	script.add(
		...reads.map((read, n) => ({ text: `Step ${n}.`, toolCalls: [read], ...(n === 3 && { midway: update }) })),
		{ text: "All of it was read." },
	);
	const args = [
		join(installed, "dist/show/cli/main.js"),
		"run",
		"claude",
		"--",
		"-p",
		"Read.",
		"--allowedTools",
		"Read",
	];
	const env = world.claudeEnv();
	// Where there is no data yet, no resident starts.
	assert.equal((await world.weft(["log", "add", "first"], env)).code, 0);
	const ran = await world.run(process.execPath, args, env);
	assert.equal(ran.code, 0, ran.err.slice(-2_000));
	assert.match(ran.out, /All of it was read\./);
	assert.equal(world.requests.filter(CLAUDE.isTurn).length, reads.length + 1, "nothing was asked twice");
	assert.ok(old !== undefined);
	// It records what it has passed before it ends.
	while (world.residents().includes(old)) await pause(50);
	const ids = world.events("ToolResult").map(({ payload }) => payload["callId"]);
	for (const { id } of reads) assert.equal(ids.filter((each) => each === id).length, 1, `${id} is in the log once`);
});
