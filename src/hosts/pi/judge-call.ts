/** Before a tool runs: the guard blocks it with a reason that the model can act on, changes its arguments, or lets it pass. */
import type { ToolCallEvent, ToolCallEventResult } from "@earendil-works/pi-coding-agent";
import { guardCall } from "./guard-call.ts";
import type { LiveSession } from "./live-session.ts";

export function judgeCall(event: ToolCallEvent, live: LiveSession): ToolCallEventResult | undefined {
	if (live.mode() === "off") return undefined;
	const outcome = live.guard.before(guardCall(event, live));
	// At once: the next call is judged by them.
	if (outcome.events.length > 0) live.engine.record(outcome.events);
	if (outcome.action === "block") return { block: true, reason: outcome.reason };
	if (outcome.input) Object.assign(event.input, outcome.input);
	return undefined;
}
