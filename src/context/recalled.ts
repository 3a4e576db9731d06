/**
 * What was recalled for a message of the user, as a patch: the block stands before the user's words, for good. The host's
 * session and the log keep the words as they were said.
 */

import type { Form } from "../message/view.ts";
import { weighWire } from "../message/weight.ts";
import { wrapWords } from "../state/memory/recall/block.ts";
import { makeTransform, type Transform } from "./patch/transform.ts";
import type { PathMessage } from "./path.ts";

export const RECALL_NAME = "weft/recall";

/** Undefined: the message has no words to stand before. */
export function recallTransform({ id, sent, role }: PathMessage, block: string): Transform | undefined {
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
 * For hosts whose user row is not ours to change: a message of its own after this one, and so before what is said next. An
 * empty id: nothing was said yet.
 */
export function recallAfter(id: string, block: string, timestamp: number): Transform {
	const message = { role: "user", content: [{ type: "text", text: block }], timestamp };
	const kept = id === "" ? {} : { keepThroughId: id };
	const op = { op: "messages_cached_replace", scope: "cached", ...kept, messages: [message] } as const;
	return makeTransform("before_request", RECALL_NAME, [op]);
}

/** What was recalled after which message, of patches that put a message of its own. */
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

/** What the recalled text adds to the message that it stands in, or after. */
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
