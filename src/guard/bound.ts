/**
 * Bounds an output: the head and the tail, with one line between them that says what is missing and how to get it. The
 * caller stores the whole text as a blob under the hash. The result is within the limits, so bounding it again changes
 * nothing.
 */

import { sha256 } from "../base/hash/sha256.ts";
import { cutEnd, cutStart } from "../base/text/cut.ts";
import { countLines } from "../base/text/lines.ts";

export interface Limits {
	readonly lines: number;
	/** UTF-16 units. */
	readonly chars: number;
}

export interface BoundedOutput {
	readonly text: string;
	readonly cut: boolean;
	/** Of the whole text. */
	readonly lines: number;
	readonly chars: number;
	/** `b-` and the first 12 digits of the hash; only if something was left out. */
	readonly handle?: string | undefined;
	/** SHA-256 of the whole text. */
	readonly hash?: string | undefined;
}

export const OUTPUT_LIMITS: Limits = { lines: 2_000, chars: 50_000 };

/** Below these there is no room for a head, a marker and a tail. */
export const MIN_LIMITS: Limits = { lines: 3, chars: 400 };

export function bound(text: string, limits: Limits = OUTPUT_LIMITS): BoundedOutput {
	const size = { lines: countLines(text), chars: text.length };
	const most = {
		lines: Math.max(MIN_LIMITS.lines, limits.lines),
		chars: Math.max(MIN_LIMITS.chars, limits.chars),
	};
	if (size.lines <= most.lines && size.chars <= most.chars) return { text, cut: false, ...size };
	const hash = sha256(text);
	const handle = `b-${hash.slice(0, 12)}`;
	// The longest marker: its numbers shrink by what is kept.
	const room = most.chars - marker(size, handle).length - 2;
	const head = headOf(text, Math.ceil((most.lines - 1) / 2), Math.ceil(room / 2));
	const tail = tailOf(text.slice(head.length), Math.floor((most.lines - 1) / 2), Math.floor(room / 2));
	const omitted = text.slice(head.length, text.length - tail.length);
	const middle = marker({ lines: countLines(omitted), chars: omitted.length }, handle);
	return { text: join(head, middle, tail), cut: true, ...size, handle, hash };
}

function marker(omitted: { readonly lines: number; readonly chars: number }, handle: string): string {
	const lines = omitted.lines === 1 ? "1 line" : `${omitted.lines.toLocaleString("en-US")} lines`;
	const chars = omitted.chars === 1 ? "1 character" : `${omitted.chars.toLocaleString("en-US")} characters`;
	return `[… ${lines} (${chars}) left out here; lcm_expand("${handle}") returns the whole text]`;
}

function join(head: string, middle: string, tail: string): string {
	return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${middle}\n${tail}`;
}

/** Whole lines from the start; a line too long for the room is cut. */
function headOf(text: string, lines: number, chars: number): string {
	let end = 0;
	for (let count = 0; count < lines; count++) {
		const next = text.indexOf("\n", end);
		if (next === -1 || next + 1 > chars) break;
		end = next + 1;
	}
	// Cut inside a line only if little or nothing would be kept otherwise.
	return end > chars / 2 || reached(text, end, lines) ? text.slice(0, end) : cutStart(text, chars);
}

/** All requested lines are in. */
function reached(text: string, end: number, lines: number): boolean {
	return end > 0 && countLines(text.slice(0, end)) >= lines;
}

function tailOf(text: string, lines: number, chars: number): string {
	let start = text.length;
	for (let count = 0; count < lines; count++) {
		// A break at the very end closes the last line.
		const next = text.lastIndexOf("\n", start - 2);
		if (next === -1 || start <= 1 || text.length - (next + 1) > chars) break;
		start = next + 1;
		if (count === lines - 1) return text.slice(start);
	}
	return text.length - start > chars / 2 ? text.slice(start) : cutEnd(text, chars);
}
