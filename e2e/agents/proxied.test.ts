/** The real Claude Code behind weft's proxy, headless, against a scripted model. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { epochStartsOf, proxyOf } from "./agent-world.ts";
import { type Agent, assertNoSummary, assertSealed, start } from "./many-reads.ts";

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
