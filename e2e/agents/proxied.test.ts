/** The real Claude Code behind weft's proxy, headless, against a scripted model. */
import { join } from "node:path";
import { test } from "node:test";
import { proxyOf } from "./agent-world.ts";
import { type Agent, assertNoSummary, assertSealed, start } from "./many-reads.ts";

const CLAUDE: Agent = {
	name: "claude",
	read: (world, file) => ({ name: "Read", args: { file_path: join(world.project, file) } }),
	messages: ({ json }) => json["messages"] as unknown[],
	isTurn: ({ json, path }) => !path.includes("count_tokens") && ((json["tools"] as unknown[]) ?? []).length > 0,
};
const LOST_ACCOUNT =
	"beside the plugin a second compaction follows soon after one, and the account of the first is lost";

test("Claude Code behind the proxy, which is killed in the middle", { todo: LOST_ACCOUNT }, async (t) => {
	let pid = 0;
	const world = await start(t, CLAUDE, (n) => {
		const proxy = n === 6 ? proxyOf(pid) : undefined;
		if (proxy !== undefined) process.kill(proxy, "SIGKILL");
	});
	const env = world.env({
		CLAUDE_CONFIG_DIR: join(world.user, ".claude"),
		ANTHROPIC_BASE_URL: world.url,
		ANTHROPIC_API_KEY: world.key,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "200000",
		DISABLE_AUTOUPDATER: "1",
	});
	const args = ["-p", "read all of it", "--allowedTools", "Read", "--output-format", "stream-json", "--verbose"];
	const ran = await world.weft(["run", "claude", "--", ...args], env, (started) => {
		pid = started;
	});
	assertNoSummary(world, CLAUDE);
	assertSealed(world, CLAUDE, ran);
});
