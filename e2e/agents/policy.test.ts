/** The user's policy of seals in real agents: at which share of the model's window a seal comes, as the provider counts it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type ModelRequest, type ScriptedCall, usageOf } from "../../test/rig/answer.ts";
import type { AgentWorld } from "./agent-world.ts";
import { CodexWorld } from "./codex-world.ts";
import { type Agent, start } from "./many-reads.ts";
import { OpencodeWorld } from "./opencode-world.ts";
import type { Script } from "./script.ts";

const WINDOW = 100_000;
/** A whole file takes about 5 % of the window. */
const PARTS = 2;
/** A seal comes before or after the read that fills the share. */
const [BELOW, ABOVE] = [7, 6];

function addReads(script: Script, reads: readonly ScriptedCall[]): void {
	for (const [n, call] of reads.entries()) script.add({ text: `Step ${n}.`, toolCalls: [call] });
	script.add({ text: "All of it was read." });
}

/** Percent of the window that the newest request before each seal took. */
function sealedAt(turns: readonly ModelRequest[], window: number): number[] {
	const sizes = turns.map((request) => usageOf({}, request).input);
	return sizes.filter((size, at) => size > 1.5 * (sizes[at + 1] ?? size)).map((size) => (100 * size) / window);
}

function assertNear(base: AgentWorld, turns: readonly ModelRequest[], { window = WINDOW, share = 0 }): void {
	const whys = base.events("Seal").map(({ payload }) => payload["why"]);
	assert.deepEqual(new Set(whys), new Set([share === 60 ? "share" : "ceiling"]), "the policy made every seal");
	const shares = sealedAt(turns, window);
	assert.ok(shares.length > 0, "no seal");
	console.log(`policy: sealed at ${shares.map(Math.round).join(", ")} %, promised ${share} %`);
	for (const each of shares) assert.ok(each > share - BELOW && each < share + ABOVE, `${shares} for ${share}`);
}

test("Claude Code behind the proxy: window seals near 60 % of the model's window, beyond the size at which thrift compacts", async (t) => {
	const claude: Agent = {
		name: "claude",
		read: (world, file) => ({ name: "Read", args: { file_path: join(world.project, file) } }),
		messages: ({ json }) => json["messages"] as unknown[],
		isTurn: ({ json, path }) => !path.includes("count_tokens") && ((json["tools"] as unknown[]) ?? []).length > 0,
	};
	const world = await start(t, claude, { steps: 24 });
	const env = world.claudeEnv({
		WEFT_SEAL: "window",
	});
	const args = ["--model", "claude-haiku-4-5", "--allowedTools", "Read"];
	const ran = await world.weft(["run", "claude", "--", "-p", "read all of it", ...args], env);
	assert.equal(ran.code, 0, `${ran.err.slice(-2_000)} ${ran.out.slice(-1_500)}`);
	assertNear(world, world.requests.filter(claude.isTurn), { window: 200_000, share: 60 });
});

/** A file takes about 5 % of the window. */
for (const [seal, share, files] of [
	["window", 60, 14],
	["late", 85, 19],
] as const) {
	test(`Codex behind the proxy: ${seal} seals near ${share} % of the window in its settings`, async (t) => {
		const world = await CodexWorld.start();
		const { base, env, script } = world;
		t.after(() => base.close());
		world.configureLab(`model_context_window = ${WINDOW}`);
		const commands = Array.from(
			{ length: files * PARTS },
			(_, n) => `split -n r/${(n % PARTS) + 1}/${PARTS} f${Math.floor(n / PARTS)}.js`,
		);
		addReads(
			script,
			commands.map((command) => world.shell(command)),
		);
		// weft's hooks would shorten what is read.
		const args = [...world.exec("Read all of it."), "-c", "features.hooks=false"];
		const ran = await base.weft(["run", "codex", "--", ...args], { ...env, WEFT_SEAL: seal });
		assert.equal(ran.code, 0, `${ran.err.slice(-2_000)} ${ran.out.slice(-1_500)}`);
		assert.ok(!script.kinds.includes("compaction"), "weft wrote every summary");
		assertNear(base, world.turns, { share });
	});

	test(`opencode: ${seal} seals near ${share} % of the model's window`, async (t) => {
		const world = await OpencodeWorld.start({}, { window: WINDOW });
		const { base, env, script } = world;
		t.after(() => base.close());
		addReads(
			script,
			Array.from({ length: files }, (_, n) => world.read(`f${n}.js`)),
		);
		const run = ["run", "opencode", "--", ...world.run("Read all of it.")];
		const ran = await base.weft(run, { ...env, WEFT_SEAL: seal });
		assert.equal(ran.code, 0, `${ran.err.slice(-2_000)} ${ran.out.slice(-1_500)}`);
		assert.ok(!script.kinds.includes("compaction"), "weft wrote every summary");
		assertNear(base, world.turns, { share });
	});
}
