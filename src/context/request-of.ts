/** Turns a plan into the request's bytes: the one way, for a look at the past and for replay. */

import { repairRequest } from "../message/repair.ts";
import { checkRequest, type Violation } from "../message/validity.ts";
import type { Form } from "../message/view.ts";
import { type Segment, segmentsOf } from "./envelope/bytes.ts";
import { type ContextEnvelope, type GivenMessage, makeEnvelope, withCached } from "./envelope/envelope.ts";
import { identify, idsOf } from "./patch/message-op.ts";
import { type ReplayItem, replay } from "./patch/replay.ts";
import { sealReason } from "./plan.ts";
import type { PlannedRequest } from "./walk.ts";

export interface PlannedBytes extends Sendable {
	readonly segments: readonly Segment[];
	readonly tokens: number;
	/** The form of its messages: that of the agent that wrote them. */
	readonly form: Form;
	/** Why bytes that were sent before differ now; undefined: they do not. */
	readonly reason: string | undefined;
}

interface RequestOfOptions {
	/** The model is asked with it. False: no call is made now, and tools may still be running. */
	readonly isAsked: boolean;
	/** The id of a request that was made, and its ephemeral patches. */
	readonly request?: string | undefined;
	readonly ephemeral?: readonly ReplayItem[] | undefined;
}

export function requestOf({ plan, path }: PlannedRequest, options: RequestOfOptions): PlannedBytes {
	const { isAsked, request, ephemeral = [] } = options;
	const { envelope } = replay(makeEnvelope({}), [...plan.items, ...ephemeral], { request });
	const checked = sendable(envelope, path.form, { mend: isAsked || !path.isOpen, isAsked });
	const segments = segmentsOf(checked.envelope);
	const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
	const reason = plan.seal && sealReason(plan.mode, plan.decision.why);
	return { ...checked, segments, form: path.form, tokens, reason };
}

/**
 * Checks whether a request may be sent, and repairs damage in the agent's own history: the same for live requests and
 * replay.
 */
interface Sendable {
	readonly envelope: ContextEnvelope;
	/** Empty, or it must not be sent. */
	readonly violations: readonly Violation[];
	/** Repairs to the agent's own history. */
	readonly repairs: readonly string[];
}

interface SendableOptions {
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
