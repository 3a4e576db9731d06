/** Turns a plan into the request's bytes: the one way, for a look at the past and for replay. */
import type { Form } from "../message/view.ts";
import { type Segment, segmentsOf } from "./envelope/bytes.ts";
import { makeEnvelope } from "./envelope/envelope.ts";
import { type ReplayItem, replay } from "./patch/replay.ts";
import { sealReason } from "./plan.ts";
import { type Sendable, sendable } from "./sendable.ts";
import type { PlannedRequest } from "./walk.ts";

export interface PlannedBytes extends Sendable {
	readonly segments: readonly Segment[];
	readonly tokens: number;
	/** The form of its messages: that of the agent that wrote them. */
	readonly form: Form;
	/** Why bytes that were sent before differ now; undefined: they do not. */
	readonly reason: string | undefined;
}

export interface RequestOfOptions {
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
