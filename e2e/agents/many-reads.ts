/** A task of many reads in whichever agent, and what must hold of it when its context was sealed on the way. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ModelAnswer, ModelRequest } from "../../test/rig/answer.ts";
import { type ThinkingProvider, thoughts } from "../../test/rig/thinking-provider.ts";
import { AgentWorld, epochStartsOf, type Ran } from "./agent-world.ts";

export const STEPS = 42;
/** Half of the window that weft goes by, and what a host adds by itself. */
const MAX_BYTES = 620_000;

export interface Agent {
	readonly name: "claude" | "codex" | "opencode";
	/** One read of a file. */
	readonly read: (world: AgentWorld, file: string) => { readonly name: string; readonly args: Record<string, unknown> };
	readonly messages: (request: ModelRequest) => readonly unknown[];
	readonly isTurn: (request: ModelRequest) => boolean;
}

export interface StartOptions {
	readonly onStep?: (n: number) => void;
	/** Checks the thinking that comes back. Without one the model does not think. */
	readonly provider?: ThinkingProvider;
	readonly steps?: number;
	/** Files that one step reads. */
	readonly readsPerStep?: number;
}

export async function start(t: TestContext, agent: Agent, options: StartOptions = {}): Promise<AgentWorld> {
	const { onStep, provider, steps = STEPS, readsPerStep = 1 } = options;
	let step = 0;
	const script = (request: ModelRequest): ModelAnswer => {
		if (!agent.isTurn(request)) return { text: "<summary>by the provider</summary>" };
		const n = step++;
		onStep?.(n);
		if (n >= steps) return { text: "All of it was read." };
		const toolCalls = Array.from({ length: readsPerStep }, (_, at) => {
			const file = n * readsPerStep + at;
			return { id: `call_${String(file).padStart(4, "0")}`, ...agent.read(world, `f${file}.js`) };
		});
		const thinking = provider && thoughts(n);
		return {
			...(thinking && { thinking }),
			text: `Step ${n}.`,
			toolCalls,
		};
	};
	const world: AgentWorld = await AgentWorld.start(agent.name, provider ? provider.script(script) : script, {
		files: Math.max(50, steps * readsPerStep),
	});
	t.after(() => world.close());
	return world;
}

export function assertSealed(world: AgentWorld, agent: Agent, ran: Ran): void {
	assert.equal(ran.code, 0, `${ran.err.slice(-2_000)}\n${ran.out.slice(-2_000)}`);
	assert.match(ran.out, /All of it was read\./);
	const turns = world.requests.filter(agent.isTurn);
	assert.ok(turns.length > STEPS, `${turns.length} requests`);
	const starts = epochStartsOf(turns.map(agent.messages));
	const seals = world.events("Seal");
	assert.ok(seals.length >= 2, `${seals.length} seals, epochs begin at ${starts}`);
	assert.equal(
		starts.length,
		seals.length,
		`epochs begin at ${starts}, seals: ${seals.map(({ ts, payload }) => `${payload["why"]} ${ts}`)}`,
	);
	assert.ok(Math.max(...turns.map(({ body }) => body.length)) < MAX_BYTES);
	assert.deepEqual(world.holding(world.key), [], "nothing of the key is on the disk");
	assert.deepEqual(
		world.events("Fault").map(({ payload }) => payload["message"]),
		[],
	);
}

/** Nobody but us wrote a summary. Claude Code's question for one names its tools as a turn does. */
export function assertNoSummary(world: AgentWorld): void {
	const asked = world.requests.filter(({ body }) =>
		/CHECKPOINT COMPACTION|CRITICAL: Respond with TEXT ONLY/.test(body),
	);
	assert.deepEqual(
		asked.map(({ index }) => index),
		[],
	);
}
