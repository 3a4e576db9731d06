/**
 * A page of any content, by an offset in bytes. Pages never overlap, leave no gap and never cut a character: joined, they
 * are the content, byte for byte. Bytes that are not UTF-8 come as base64.
 */
import { isUtf8 } from "node:buffer";

export interface Page {
	/** Where the page begins. An offset inside a character moves to the character's first byte. */
	readonly offset: number;
	/** Bytes of the content in this page. */
	readonly bytes: number;
	readonly total: number;
	/** Offset of the next page. Undefined: this is the last. */
	readonly next?: number | undefined;
	readonly encoding: "utf8" | "base64";
	readonly text: string;
}

/** The longest character of UTF-8: a smaller page could not advance. */
export const MIN_PAGE_BYTES = 4;

export function pageOf(content: Buffer, offset: number, maxBytes: number): Page {
	const encoding = isUtf8(content) ? "utf8" : "base64";
	const wished = Number.isFinite(offset) ? Math.max(0, Math.trunc(offset)) : 0;
	const start = encoding === "utf8" ? characterStart(content, wished) : Math.min(wished, content.length);
	const room = Math.max(MIN_PAGE_BYTES, Math.floor(encoding === "utf8" ? maxBytes : (maxBytes * 3) / 4));
	const end = encoding === "utf8" ? characterStart(content, start + room) : Math.min(content.length, start + room);
	return {
		offset: start,
		bytes: end - start,
		total: content.length,
		next: end < content.length ? end : undefined,
		encoding,
		text: content.toString(encoding, start, end),
	};
}

/** The first byte of the character at `at`, or the end. */
function characterStart(content: Buffer, at: number): number {
	let start = Math.min(at, content.length);
	while (start > 0 && start < content.length && (content.readUInt8(start) & 0xc0) === 0x80) start--;
	return start;
}
