/** Operations that end an epoch: what came before a message leaves, and one message stands for it. */
import { EngineError } from "../../../error/engine-error.ts";
import { type ContextEnvelope, type EnvelopeMessage, withCached } from "../../envelope/envelope.ts";
import { contentHash } from "../message-id.ts";
import type { EpochOp } from "../operation.ts";

/** Constant: no number and no date, so that the same summary is always the same bytes. */
export const SUMMARY_PREAMBLE =
	"The conversation before this point was left out to make room. This summary stands for it:\n\n";

/** The operation must name its first kept message by id: `pinEpoch` sees to that. */
export function applyEpoch(envelope: ContextEnvelope, op: EpochOp): ContextEnvelope {
	const { cached } = envelope.messages;
	const kept = keptFrom(cached, op);
	if (op.op === "epoch_seal") refuseOtherPlan(op.droppedIds, cached.slice(0, cached.length - kept.length));
	return withCached(envelope, [openingMessage(op), ...kept]);
}

/** An index, as older entries have it, means the message that stands there now. */
export function pinEpoch(envelope: ContextEnvelope, op: EpochOp): EpochOp {
	if (op.op !== "compaction_apply" || !("firstKeptMessageIndex" in op) || "firstKeptMessageId" in op) return op;
	const { firstKeptMessageIndex, ...rest } = op;
	const { cached } = envelope.messages;
	return { ...rest, firstKeptMessageId: cached[Math.max(0, firstKeptMessageIndex)]?.id ?? null };
}

/** The message that stands for what left. */
function openingMessage(op: EpochOp): EnvelopeMessage {
	const [prefix, content] =
		op.op === "epoch_seal" ? ["s", op.seedText] : ["c", `${SUMMARY_PREAMBLE}<summary>\n${op.summary}\n</summary>`];
	const time = op.timestamp === undefined ? {} : { timestamp: op.timestamp };
	return {
		id: `${prefix}-${contentHash([content, op.timestamp ?? null])}`,
		seed: true,
		role: "user",
		content,
		...time,
	};
}

function keptFrom(cached: readonly EnvelopeMessage[], op: EpochOp): readonly EnvelopeMessage[] {
	const id = op.op === "epoch_seal" ? op.keepFromId : "firstKeptMessageId" in op ? op.firstKeptMessageId : null;
	if (id === null) return [];
	const at = cached.findIndex((message) => message.id === id);
	if (at === -1) throw new EngineError("refused", `Context patch op "${op.op}": there is no cached message '${id}'.`);
	return cached.slice(at);
}

function refuseOtherPlan(planned: readonly string[] | undefined, leaving: readonly EnvelopeMessage[]): void {
	if (planned === undefined) return;
	const same = planned.length === leaving.length && planned.every((id, at) => id === leaving[at]?.id);
	if (same) return;
	throw new EngineError(
		"refused",
		`Context patch op "epoch_seal" was planned for other messages: ${planned.length} should leave, ${leaving.length} would. Plan it again.`,
	);
}
