/** A plan as the request that leaves: the one way from what was planned to bytes, for a look at the past and for replay. */
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
	/** In which form its messages are: that of the host that wrote them. */
	readonly form: Form;
	/** Why bytes that were sent before are others now; undefined: the plan goes on with what was there. */
	readonly reason: string | undefined;
}

export interface RequestOfOptions {
	/** The model was asked with it. False: nobody asks now, and calls may still be running. */
	readonly isAsked: boolean;
	/** The id of a request that was made, and what it said for itself alone. */
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
