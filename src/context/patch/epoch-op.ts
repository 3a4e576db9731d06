/** Operations that end an epoch: the messages before one leave, and one message replaces them. */
import { EngineError } from "../../base/error/engine-error.ts";
import { compactionSummary } from "../../message/outgoing-message.ts";
import { type ContextEnvelope, type EnvelopeMessage, withCached } from "../envelope/envelope.ts";
import { contentHash } from "./message-op.ts";
import type { EpochOp } from "./operation.ts";

/** Constant, without numbers or dates, so that the same summary is always the same bytes. */
const SUMMARY_PREAMBLE =
	"The conversation before this point was left out to make room. This summary stands for it:\n\n";

/** The operation must name its first kept message by id, as `pinEpoch` ensures. */
export function applyEpoch(envelope: ContextEnvelope, op: EpochOp): ContextEnvelope {
	const { cached } = envelope.messages;
	const kept = keptFrom(cached, op);
	if (op.op === "epoch_seal") refuseOtherPlan(op.droppedIds, cached.slice(0, cached.length - kept.length));
	return withCached(envelope, [openingMessage(op), ...kept]);
}

/** An index, as in older entries, means the message at that index when the operation is applied. */
export function pinEpoch(op: EpochOp, messageAt: (index: number) => string | null): EpochOp {
	if (op.op !== "compaction_apply" || !("firstKeptMessageIndex" in op) || "firstKeptMessageId" in op) return op;
	const { firstKeptMessageIndex, ...rest } = op;
	return { ...rest, firstKeptMessageId: messageAt(Math.max(0, firstKeptMessageIndex)) };
}

/** The message in place of the messages that left. */
export function openingMessage(op: EpochOp): EnvelopeMessage {
	const [prefix, text] = op.op === "epoch_seal" ? ["s", op.seedText] : ["c", op.summary];
	const id = `${prefix}-${contentHash([text, op.timestamp ?? null])}`;
	const { timestamp, tokensBefore } = op;
	if (op.role === "compactionSummary") {
		return { id, seed: true, ...compactionSummary(text, tokensBefore ?? 0, timestamp ?? 0) } as EnvelopeMessage;
	}
	const said = op.op === "epoch_seal" ? text : `${SUMMARY_PREAMBLE}<summary>\n${text}\n</summary>`;
	return { id, seed: true, role: "user", content: said, ...(timestamp === undefined ? {} : { timestamp }) };
}

/** Id of the first message that stays; null: none does. */
export function firstKept(op: EpochOp): string | null {
	if (op.op === "epoch_seal") return op.keepFromId;
	return "firstKeptMessageId" in op ? op.firstKeptMessageId : null;
}

function keptFrom(cached: readonly EnvelopeMessage[], op: EpochOp): readonly EnvelopeMessage[] {
	const id = firstKept(op);
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
