/** Long tasks in the real Codex, against a provider that wants its reasoning back as it was made: whole, in order, never alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedCall } from "../../test/rig/answer.ts";
import { ReasoningProvider } from "../../test/rig/reasoning-provider.ts";
import type { Ran } from "./agent-world.ts";
import { CodexWorld } from "./codex-world.ts";

type Run = (prompt: string, session?: string) => Promise<Ran>;

interface LongTask {
	/** Steps of both processes together. */
	readonly steps: number;
	/** Files that one step reads. */
	readonly filesPerStep: number;
}

/** Reads in two processes, with thinking before each. */
async function longTask(world: CodexWorld, { steps, filesPerStep }: LongTask, run: Run): Promise<void> {
	const { script } = world;
	const reads = (from: number, to: number) => {
		for (let n = from; n < to; n++)
			script.add({
				thinking: [{ text: `Thought ${n}.`, signature: "" }],
				...(n % 3 === 0 && { text: `Step ${n}.` }),
				toolCalls: [readFiles(world, n * filesPerStep, filesPerStep)],
			});
		script.add({ thinking: [{ text: "All of it.", signature: "" }], text: `Read up to ${to}.` });
	};
	reads(0, steps / 2);
	const first = await run("Read all of it.");
	assert.equal(first.code, 0, `${first.err.slice(-2_000)} ${first.out.slice(-1_500)}`);
	const session = /"thread_id":"([^"]+)"/.exec(first.out)?.[1];
	reads(steps / 2, steps);
	const second = await run("Go on.", session);
	assert.equal(second.code, 0, `${second.err.slice(-2_000)} ${second.out.slice(-1_500)}`);
	assert.equal(script.left, 0, "every step was asked for");
}

/** weft's hooks would shorten what the proxy is to seal. */
const NO_HOOKS = ["-c", "features.hooks=false"];

/** Codex cuts an output at 10,000 tokens unless the call allows more. */
function readFiles({ script }: CodexWorld, from: number, count: number): ScriptedCall {
	const files = Array.from({ length: count }, (_, at) => `f${(from + at) % 50}.js`);
	return script.call("exec_command", { cmd: `cat ${files.join(" ")}`, max_output_tokens: 10_000 * count });
}

test("Codex behind the proxy: ten seals, every compaction is weft's, and nothing is refused", async (t) => {
	const provider = new ReasoningProvider();
	const world = await CodexWorld.start({}, (script) => provider.script(script));
	const { base, env, script } = world;
	t.after(() => base.close());
	world.configureLab("tool_output_token_limit = 60000");
	const slim = { ...env, WEFT_PROFILE: "thrifty" };
	await longTask(world, { steps: 58, filesPerStep: 6 }, (prompt, session) =>
		base.weft(["run", "codex", "--", ...world.exec(prompt, session), ...NO_HOOKS], slim),
	);
	const seals = base.events("Seal").length;
	assert.ok(seals >= 10, `${seals} seals`);
	assert.ok(!script.kinds.includes("compaction"), "nobody but weft wrote a summary");
	assert.deepEqual([provider.refused, provider.lost], [[], []]);
	assert.ok(Math.max(...provider.kept) > 2, `${provider.kept}`);
	console.log(`reasoning: Codex behind the proxy: ${seals} seals, kept ${provider.kept.join(" ")}`);
	assert.deepEqual(base.events("Fault"), []);
});

test("Codex that asks the provider itself, with weft's hooks: its own compactions, and nothing is refused", async (t) => {
	const provider = new ReasoningProvider();
	const world = await CodexWorld.start({}, (script) => provider.script(script));
	const { base, env, script } = world;
	t.after(() => base.close());
	world.configureLab("model_auto_compact_token_limit = 60000");
	const init = await base.weft(["init", "codex", "--yes"], env);
	assert.equal(init.code, 0, init.err);
	await world.trustHooks();
	await longTask(world, { steps: 36, filesPerStep: 1 }, (prompt, session) =>
		base.run("codex", world.exec(prompt, session), env),
	);
	const compactions = script.kinds.filter((kind) => kind === "compaction").length;
	assert.ok(compactions >= 2, `${compactions} compactions`);
	assert.deepEqual([provider.refused, provider.lost], [[], []]);
	assert.ok(Math.max(...provider.kept) > 3, `${provider.kept}`);
	console.log(`reasoning: Codex: ${compactions} compactions, kept ${provider.kept.join(" ")}`);
	assert.deepEqual(base.events("Fault"), []);
});

test("Codex behind the proxy, with another model in the second process: nothing is refused, and seals go on", async (t) => {
	const provider = new ReasoningProvider();
	const world = await CodexWorld.start({}, (script) => provider.script(script));
	const { base, env } = world;
	t.after(() => base.close());
	world.configureLab("tool_output_token_limit = 60000");
	const slim = { ...env, WEFT_PROFILE: "thrifty" };
	await longTask(world, { steps: 24, filesPerStep: 6 }, (prompt, session) => {
		const other = session === undefined ? [] : ["-c", 'model="gpt-5.4"'];
		return base.weft(["run", "codex", "--", ...world.exec(prompt, session), ...NO_HOOKS, ...other], slim);
	});
	const models = new Set(world.turns.map(({ json }) => json["model"]));
	assert.deepEqual([...models], ["gpt-5.5", "gpt-5.4"]);
	const seals = base.events("Seal").length;
	assert.ok(seals >= 3, `${seals} seals`);
	assert.deepEqual([provider.refused, provider.lost], [[], []]);
	assert.ok(Math.max(...provider.kept) > 2, `${provider.kept}`);
	assert.deepEqual(base.events("Fault"), []);
});
