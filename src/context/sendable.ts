/**
 * Checks whether a request may be sent, and repairs damage in the agent's own history: the same for live requests and
 * replay.
 */
import { repairRequest } from "../message/repair.ts";
import { checkRequest, type Violation } from "../message/validity.ts";
import type { Form } from "../message/view.ts";
import { type ContextEnvelope, type GivenMessage, withCached } from "./envelope/envelope.ts";
import { identify, idsOf } from "./patch/message-id.ts";

export interface Sendable {
	readonly envelope: ContextEnvelope;
	/** Empty, or it must not be sent. */
	readonly violations: readonly Violation[];
	/** Repairs to the agent's own history. */
	readonly repairs: readonly string[];
}

export interface SendableOptions {
	/** Repairs damage in the agent's own history; the uncached messages are ours and stay unchanged. */
	readonly mend: boolean;
	/** The model is asked now: a request cannot end with an answer. */
	readonly isAsked?: boolean | undefined;
}

export function sendable(given: ContextEnvelope, form: Form, { mend, isAsked = false }: SendableOptions): Sendable {
	const envelope = isAsked ? withoutLastAnswers(given) : given;
	const { cached, uncached } = envelope.messages;
	const violations = checkRequest([...cached, ...uncached], form);
	if (violations.length === 0 || !mend) return { envelope, violations, repairs: [] };
	// After an answer the user speaks next: that is no damage.
	const isWaiting = uncached.length === 0 && cached.at(-1)?.role === "assistant";
	const spoken = isWaiting ? [...cached, { role: "user", content: "…" }] : cached;
	const { messages, repairs } = repairRequest(spoken, form);
	const repaired = messages.slice(0, isWaiting ? -1 : undefined);
	const mended = withCached(envelope, identify(repaired as readonly GivenMessage[], idsOf(uncached)));
	const left = checkRequest([...mended.messages.cached, ...uncached], form);
	return { envelope: mended, violations: left, repairs };
}

/** Two calls at once: the second had not seen the first answer, which comes back with the next message. */
function withoutLastAnswers(envelope: ContextEnvelope): ContextEnvelope {
	const { cached } = envelope.messages;
	const end = cached.findLastIndex(({ role }) => role !== "assistant") + 1;
	return end === cached.length ? envelope : withCached(envelope, cached.slice(0, end));
}
