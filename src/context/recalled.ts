/**
 * What was recalled for a message of the user, as a patch: the block stands before the user's words, for good. The host's
 * session and the log keep the words as they were said.
 */
import { wrapWords } from "../memory/recall/block.ts";
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
