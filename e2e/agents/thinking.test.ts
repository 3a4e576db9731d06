/** Long tasks in the real Claude Code and opencode, against a provider that binds thinking to what is before it. */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { ThinkingProvider, thoughts } from "../../test/rig/thinking-provider.ts";
import { proxyOf } from "./agent-world.ts";
import { type Agent, assertNoSummary, start } from "./many-reads.ts";
import { OpencodeWorld } from "./opencode-world.ts";

const NEWER = { generation: "newer", model: "claude-opus-5-5", other: "claude-sonnet-5-5" } as const;
const OLDER = { generation: "older", model: "claude-sonnet-4-5", other: "claude-haiku-4-5" } as const;
type ModelOf = typeof NEWER | typeof OLDER;

for (const each of [NEWER, OLDER])
	test(`opencode, ${each.generation} generation: ten seals, a handler in the settings, another process with another model, and nothing is refused`, (t) =>
		opencode(t, each));

/** Replaces an older result by a word. */
const PRUNER = `
export default function (weft) {
	weft.on("context", ({ reason, state }) => {
		const { cached } = state.envelope.messages;
		const result = cached.find(({ role }, at) => role === "toolResult" && at < cached.length - 3);
		if (reason !== "before_request" || !result || result.content[0].text === "(pruned)") return;
		const message = { ...result, content: [{ type: "text", text: "(pruned)" }] };
		return { patch: [{ op: "item_replace", scope: "cached", id: result.id, message, invalidateCacheReason: "pruned" }] };
	});
}
`;

async function opencode(t: TestContext, { generation, model, other }: ModelOf): Promise<void> {
	const provider = new ThinkingProvider({ generation, alwaysThinks: generation === "newer" });
	const manual = generation === "older" ? { thinkingTokens: 2_000 } : {};
	const world = await OpencodeWorld.start(
		{},
		{ model, other, window: 46_000, wrap: (script) => provider.script(script), ...manual },
	);
	t.after(() => world.base.close());
	const { base, script, env } = world;
	const slim = { ...env, WEFT_PROFILE: "thrifty" };
	const settings = join(String(env["XDG_CONFIG_HOME"]), "weft");
	mkdirSync(settings, { recursive: true });
	writeFileSync(join(settings, "pruner.mjs"), PRUNER);
	writeFileSync(join(settings, "config.json"), JSON.stringify({ handlers: ["./pruner.mjs"] }));
	const init = await base.weft(["init", "opencode", "--yes"], slim);
	assert.equal(init.code, 0, init.err);
	const reads = (from: number, to: number) => {
		for (let n = from; n < to; n++)
			script.add({
				thinking: thoughts(n),
				text: `Step ${n}.`,
				toolCalls: [world.read(`f${n % 50}.js`)],
			});
		script.add({ thinking: [{ text: "All of it.", signature: "" }], text: `Read up to ${to}.` });
	};
	// weft's MCP server lists another tool once the project has a memory. Tools are part of what thinking is bound to.
	script.add({ text: "Hello." });
	const hello = await base.run("opencode", world.run("Hello."), slim);
	assert.equal(hello.code, 0, hello.err.slice(-2_000));
	reads(0, 18);
	const session = String(base.events("SessionStarted")[0]?.session);
	const first = await base.run("opencode", world.run("Read all of it.", session), slim);
	assert.equal(first.code, 0, first.err.slice(-2_000));
	reads(18, 36);
	const second = await base.run("opencode", world.run("Go on.", session, other), slim);
	assert.equal(second.code, 0, `${second.err.slice(-2_000)} ${second.out.slice(-1_500)} ${provider.refused}`);
	assert.equal(script.left, 0, "every step was asked for");
	const seals = base.events("Seal").length;
	assert.ok(seals >= 10, `${seals} seals`);
	assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
	if (generation === "newer") assert.ok(provider.leftOut > 0);
	assert.ok(Math.max(...provider.kept) > 1, `${provider.kept}`);
	// In opencode handlers change nothing: what they would have changed must not pass for changed.
	const pruned = base.events("Transform").filter(({ payload }) => JSON.stringify(payload).includes("(pruned)"));
	assert.deepEqual(pruned, []);
	assert.deepEqual(new Set(world.turns.map(({ json }) => json["model"])), new Set([model, other]));
	console.log(`thinking: opencode, ${generation}: ${seals} seals, kept ${provider.kept.join(" ")}`);
	assert.deepEqual(base.events("Fault"), []);
}

const CLAUDE: Agent = {
	name: "claude",
	read: (world, file) => ({ name: "Read", args: { file_path: join(world.project, file) } }),
	messages: ({ json }) => json["messages"] as unknown[],
	isTurn: ({ json, path }) => !path.includes("count_tokens") && ((json["tools"] as unknown[]) ?? []).length > 0,
};

for (const each of [NEWER, OLDER])
	test(`Claude Code behind the proxy, ${each.generation} generation: ten seals, a killed proxy, another process with another model, a fork with the first, and nothing is refused`, (t) =>
		claude(t, each));

async function claude(t: TestContext, { generation, model, other }: ModelOf): Promise<void> {
	const isNewer = generation === "newer";
	// Claude Code sends the thinking of another model as it is.
	const provider = new ThinkingProvider({ generation, alwaysThinks: isNewer, readsOthers: isNewer });
	let pid = 0;
	// In a later epoch: the next proxy must learn from the log which thinking was kept.
	const onStep = (n: number) => {
		const proxy = n === 17 ? proxyOf(pid, world) : undefined;
		if (proxy !== undefined) process.kill(proxy, "SIGKILL");
	};
	const world = await start(t, CLAUDE, { provider, onStep, steps: 43, readsPerStep: 2 });
	const env = world.claudeEnv({
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000",
		WEFT_PROFILE: "thrifty",
	});
	const args = ["--allowedTools", "Read", "--output-format", "stream-json", "--verbose"];
	const run = async (asked: string, ...prompt: string[]) => {
		const ran = await world.weft(["run", "claude", "--", ...prompt, "--model", asked, ...args], env, (started) => {
			pid = started;
		});
		assert.equal(ran.code, 0, `${ran.err.slice(-2_000)}\n${ran.out.slice(-2_000)}`);
	};
	await run(model, "-p", "read all of it");
	assertNoSummary(world);
	const seals = world.events("Seal").length;
	assert.ok(seals >= 10, `${seals} seals`);
	await run(other, "-c", "-p", "go on");
	// A session of its own, whose file repeats the turn that the compaction kept.
	await run(model, "-c", "--fork-session", "-p", "go on elsewhere");
	assert.deepEqual([provider.refused, provider.dropped, provider.lost], [[], 0, []]);
	assert.ok(Math.max(...provider.kept) > 2, `${provider.kept}`);
	console.log(`thinking: Claude Code, ${generation}: ${seals} seals, kept ${provider.kept.join(" ")}`);
}
