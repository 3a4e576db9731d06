/**
 * Recalled memory as a patch: the block goes before the user's words, for good. The agent's session and the log keep the
 * words unchanged.
 */

import type { Form } from "../message/view.ts";
import { weighWire } from "../message/weight.ts";
import { wrapWords } from "../state/memory/recall/block.ts";
import { makeTransform, type Transform } from "./patch/transform.ts";
import type { PathMessage } from "./path.ts";

export const RECALL_NAME = "weft/recall";

/** Undefined: the message has no text to put the block before. */
export function recallPatch({ id, sent, role }: PathMessage, block: string): Transform | undefined {
	const { id: _, ...message } = sent;
	const content = role === "user" ? withBlock(message["content"], block) : undefined;
	if (content === undefined) return undefined;
	const op = {
		op: "item_replace",
		scope: "cached",
		id,
		message: { ...message, content },
		invalidateCacheReason: "recalled",
	} as const;
	return makeTransform("before_request", RECALL_NAME, [op]);
}

/**
 * For agents whose user messages we cannot change: a separate message after this one, and so before the next words. An
 * empty id: the session has no message yet.
 */
export function recallAfterPatch(id: string, block: string, timestamp: number): Transform {
	const message = { role: "user", content: [{ type: "text", text: block }], timestamp };
	const kept = id === "" ? {} : { keepThroughId: id };
	const op = { op: "messages_cached_replace", scope: "cached", ...kept, messages: [message] } as const;
	return makeTransform("before_request", RECALL_NAME, [op]);
}

/** The recalled text and the message before it, of patches that add a separate message. */
export function recalledAfter({ transformerName, patch }: Transform): { id: string; text: string } | undefined {
	const [op] = patch;
	if (transformerName !== RECALL_NAME || op?.op !== "messages_cached_replace") return undefined;
	const content = op.messages[0]?.["content"];
	const text = Array.isArray(content) ? content[0]?.text : undefined;
	return typeof text === "string" ? { id: op.keepThroughId ?? "", text } : undefined;
}

/** The first text of a message with the recalled block before its words, of patches that change the message itself. */
export function recalledInto({ patch }: Transform): { id: string; text: string } | undefined {
	const [op] = patch;
	if (op?.op !== "item_replace") return undefined;
	const content = op.message["content"];
	const part = Array.isArray(content) ? content.find((each) => each?.type === "text") : undefined;
	const text = typeof content === "string" ? content : part?.text;
	return typeof text === "string" ? { id: op.id, text } : undefined;
}

/** Tokens that the recalled text adds to its message. */
export function recalledTokens({ patch }: Transform, message: PathMessage, form: Form): number {
	const [op] = patch;
	if (op?.op === "item_replace")
		return op.id === message.id ? weighWire(op.message, form) - weighWire(message.sent, form) : 0;
	return op?.op === "messages_cached_replace" ? weighWire(op.messages[0], form) : 0;
}

export function isRecall({ transformerName }: Transform): boolean {
	return transformerName === RECALL_NAME;
}

function withBlock(content: unknown, block: string): unknown {
	if (typeof content === "string") return wrapWords(block, content);
	if (!Array.isArray(content)) return undefined;
	const first = content.findIndex((part) => part?.type === "text" && typeof part.text === "string");
	if (first === -1) return undefined;
	return content.map((part, at) => (at === first ? { ...part, text: wrapWords(block, part.text) } : part));
}
