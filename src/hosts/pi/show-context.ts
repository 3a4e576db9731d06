/**
 * Before each request: the list of messages that the model sees. In `woven` it is Pi's own, with what must be said last
 * behind it; in `warp` the computed context and the current run; else Pi's own, untouched. A list of ours is checked
 * before it leaves: one that no provider would take is a bug of ours, and Pi's own goes out in its place.
 */
import type { ContextEvent, ContextEventResult } from "@earendil-works/pi-coding-agent";
import { type ContextEnvelope, hostMessages } from "../../context/envelope/envelope.ts";
import { EngineError } from "../../error/engine-error.ts";
import { checkRequest } from "../../message/validity.ts";
import { lastWords } from "./last-words.ts";
import type { LiveSession } from "./live-session.ts";
import { endOf, identified, type Outgoing, type Shown, toOutgoing, userMessage } from "./outgoing.ts";
import type { PiMessage } from "./projection.ts";
import { computedRun } from "./warp-run.ts";

export async function showContext(event: ContextEvent, live: LiveSession): Promise<ContextEventResult | undefined> {
	live.outgoing = undefined;
	const own = identified(event.messages, live);
	live.outgoing = toOutgoing(own);
	const plan = planContext(own, live);
	const planned = plan ? toOutgoing(plan.shown, plan.last) : live.outgoing;
	const outgoing = live.pipeline && live.mode() !== "off" ? await handled(planned, live) : planned;
	if (outgoing === live.outgoing) return undefined;
	if (plan || !sameMessages(outgoing.envelope, live.outgoing.envelope)) {
		const messages = hostMessages(outgoing.envelope) as unknown as PiMessage[];
		refuseInvalid(messages, event.messages, outgoing.envelope.messages.uncached.length);
		live.outgoing = outgoing;
		return { messages };
	}
	live.outgoing = outgoing;
	return undefined;
}

/** A list that no provider takes must not leave. */
export function refuseInvalid(messages: readonly PiMessage[], original: readonly PiMessage[], trailing: number): void {
	const [violation] = checkRequest(messages, "pi", { original, trailing });
	if (!violation) return;
	const { rule, at, message } = violation;
	throw new EngineError("refused", `A computed request breaks the rule '${rule}' at message ${at}: ${message}`);
}

function sameMessages({ messages: one }: ContextEnvelope, { messages: other }: ContextEnvelope): boolean {
	return JSON.stringify([one.cached, one.uncached]) === JSON.stringify([other.cached, other.uncached]);
}

/** What the user's handlers make of it. */
async function handled(planned: Outgoing, live: LiveSession): Promise<Outgoing> {
	const changes = await live.pipeline!.prepare(planned.envelope, live);
	return { ...planned, ...endOf(changes.made.messages.uncached), envelope: changes.made, changes };
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
