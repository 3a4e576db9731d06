/**
 * Before each request: the list of messages that the model sees. In `woven` it is Pi's own, with what must be said last
 * behind it; in `warp` the computed context and the current run; else Pi's own, untouched. A list of ours is checked
 * before it leaves: one that no provider would take is a bug of ours, and Pi's own goes out in its place.
 */
import type { ContextEvent, ContextEventResult } from "@earendil-works/pi-coding-agent";
import { checkRequest } from "../../envelope/validity.ts";
import { EngineError } from "../../error/engine-error.ts";
import { lastWords } from "./last-words.ts";
import type { LiveSession } from "./live-session.ts";
import { identified, type Shown, toOutgoing, userMessage } from "./outgoing.ts";
import { computedRun } from "./warp-run.ts";

export function showContext(event: ContextEvent, live: LiveSession): ContextEventResult | undefined {
	live.outgoing = undefined;
	const own = identified(event.messages, live);
	live.outgoing = toOutgoing(own);
	const plan = planContext(own, live);
	if (!plan) return undefined;
	const { shown, last } = plan;
	const messages = [...shown, ...(last ? [last] : [])].map(({ message }) => message);
	const [violation] = checkRequest(messages, "pi", { original: event.messages, trailing: last ? 1 : 0 });
	if (violation) {
		const { rule, at, message } = violation;
		throw new EngineError("refused", `A computed request breaks the rule '${rule}' at message ${at}: ${message}`);
	}
	live.outgoing = toOutgoing(shown, last);
	return { messages };
}

/** Undefined: Pi's own list as it is. */
function planContext(own: readonly Shown[], live: LiveSession): { shown: readonly Shown[]; last?: Shown } | undefined {
	if (live.mode() === "warp") {
		live.reasons.add("computed anew");
		return { shown: computedRun(own, live) };
	}
	if (live.mode() !== "woven") return undefined;
	const words = lastWords(live);
	if (words === undefined) return undefined;
	return { shown: own, last: { id: "last", message: userMessage(words, Date.now()) } };
}
