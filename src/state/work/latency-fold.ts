/** How long tools take from call to result, by the times of the messages. */

import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";

export interface ToolLatency {
	calls: number;
	totalMs: number;
	maxMs: number;
	/** The newest last. */
	recentMs: number[];
}

export interface LatencyState {
	tools: Recent<ToolLatency>;
	/** Calls without a result: session and call id to the time of the call. */
	pending: Recent<number>;
}

const MAX_RECENT = 20;
const MAX_TOOLS = 64;
const MAX_PENDING = 128;

export const latencyFold: StateFold<LatencyState> = {
	name: "latency",
	version: 2,
	initial: () => ({ tools: emptyRecent(), pending: emptyRecent() }),
	step(state, { type, session, ts, payload }) {
		if (type !== "ToolCalled" && type !== "ToolResult") return;
		const callId = textIn(payload, "callId");
		if (callId === null || callId === "") return;
		const key = `${session} ${callId}`;
		if (type === "ToolCalled") {
			putRecent(state.pending, key, ts, MAX_PENDING);
			return;
		}
		const called = getRecent(state.pending, key);
		if (called === undefined) return;
		dropRecent(state.pending, key);
		measure(state, textIn(payload, "tool") ?? "", Math.max(0, ts - called));
	},
};

function measure(state: LatencyState, tool: string, ms: number): void {
	const known = getRecent(state.tools, tool) ?? { calls: 0, totalMs: 0, maxMs: 0, recentMs: [] };
	known.calls++;
	known.totalMs += ms;
	known.maxMs = Math.max(known.maxMs, ms);
	known.recentMs.push(ms);
	if (known.recentMs.length > MAX_RECENT) known.recentMs.shift();
	putRecent(state.tools, tool, known, MAX_TOOLS);
}

/** The median of the newest calls: one that hung says little about the next. */
export function typicalMs(latency: ToolLatency): number {
	const sorted = [...latency.recentMs].sort((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
