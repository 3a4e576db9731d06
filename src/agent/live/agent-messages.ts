/** The messages of an agent's program: one per line, of any size up to a limit. */
import { EngineError } from "../../base/error/engine-error.ts";
import { formatCount } from "../../base/text/bytes.ts";
import type { StreamLine } from "../../base/text/stream-lines.ts";

/** Far above any file that an agent edits; V8 can hold no text of more than 512 MB. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export function messageTooLarge(bytes: number, maxBytes: number): EngineError {
	const text = `message-too-large: this message has ${formatCount(bytes)} bytes, and weft reads at most ${formatCount(maxBytes)}.`;
	return new EngineError("message-too-large", text);
}

export type MessageId = string | number;

/**
 * The id of a message of which only the ends are known. Programs write it as the first or the second field, or as the last: a
 * valid message that ends in `,"id":7}` ends with the id of the message itself.
 */
export function idOfLargeMessage({ start, end }: StreamLine & { readonly kind: "too-long" }): MessageId | undefined {
	const first = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*,/.exec(start);
	const last = /,\s*"id"\s*:\s*(\d{1,15}|"[^"\\]{0,200}")\s*\}\s*$/.exec(end);
	const found = first?.[1] ?? last?.[1];
	return found === undefined ? undefined : (JSON.parse(found) as MessageId);
}
