/** How long tools take, from the call to its result, by the times of the messages. */

import { getKey, type Keyed, setKey, touch } from "../fold/keyed.ts";
import { textIn } from "../fold/payload.ts";
import type { StateFold } from "../fold/state-fold.ts";

export interface ToolLatency {
	calls: number;
	totalMs: number;
	maxMs: number;
	/** The newest last. */
	recentMs: number[];
}

export interface LatencyState {
	tools: Keyed<ToolLatency>;
	toolOrder: string[];
	/** Calls without a result yet: session and call id to the time of the call. */
	pending: Keyed<number>;
	pendingOrder: string[];
}

const KEPT_RECENT = 20;
const KEPT_TOOLS = 64;
const KEPT_PENDING = 128;

export const latencyFold: StateFold<LatencyState> = {
	name: "latency",
	version: 1,
	initial: () => ({ tools: {}, toolOrder: [], pending: {}, pendingOrder: [] }),
	step(state, { type, session, ts, payload }) {
		if (type !== "ToolCalled" && type !== "ToolResult") return;
		const callId = textIn(payload, "callId");
		if (callId === null || callId === "") return;
		const key = `${session} ${callId}`;
		if (type === "ToolCalled") {
			setKey(state.pending, key, ts);
			const forgotten = touch(state.pendingOrder, key, KEPT_PENDING);
			if (forgotten !== undefined) delete state.pending[forgotten];
			return;
		}
		const called = getKey(state.pending, key);
		if (called === undefined) return;
		delete state.pending[key];
		state.pendingOrder.splice(state.pendingOrder.lastIndexOf(key), 1);
		measure(state, textIn(payload, "tool") ?? "", Math.max(0, ts - called));
	},
};

function measure(state: LatencyState, tool: string, ms: number): void {
	let known = getKey(state.tools, tool);
	if (!known) {
		known = { calls: 0, totalMs: 0, maxMs: 0, recentMs: [] };
		setKey(state.tools, tool, known);
	}
	known.calls++;
	known.totalMs += ms;
	known.maxMs = Math.max(known.maxMs, ms);
	known.recentMs.push(ms);
	if (known.recentMs.length > KEPT_RECENT) known.recentMs.shift();
	const forgotten = touch(state.toolOrder, tool, KEPT_TOOLS);
	if (forgotten !== undefined) delete state.tools[forgotten];
}

/** The middle of the newest calls: one that hung says little of the next. */
export function typicalMs(latency: ToolLatency): number {
	const sorted = [...latency.recentMs].sort((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
