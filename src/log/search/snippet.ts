import type { TextRange } from "./types.ts";

const SNIPPET_CHARS = 200;
const CONTEXT_CHARS = 64;
const CUT = "…";

export interface Snippet {
	readonly snippet: string;
	readonly ranges: readonly TextRange[];
}

/**
 * One line of a text around the earliest of its matches, which come in order. Control characters, line breaks among
 * them, are shown as blanks; a surrogate pair is never cut.
 */
export function snippetOf(text: string, matches: readonly TextRange[]): Snippet {
	const first = matches[0]?.start ?? 0;
	const latestFrom = Math.max(0, text.length - SNIPPET_CHARS);
	const from = wordStart(text, Math.min(latestFrom, Math.max(0, first - CONTEXT_CHARS)), first);
	const to = wholeEnd(text, Math.min(text.length, from + SNIPPET_CHARS));
	const before = from > 0 ? CUT : "";
	const after = to < text.length ? CUT : "";
	const shift = before.length - from;
	const ranges: TextRange[] = [];
	for (const { start, end } of matches) {
		if (start >= from && start < to) ranges.push({ start: start + shift, end: Math.min(end, to) + shift });
	}
	const line = text
		.slice(from, to)
		.replace(/[\p{Cc}\u2028\u2029]/gu, " ")
		.toWellFormed();
	return { snippet: before + line + after, ranges };
}

/** Where the word begins, if that is near; never inside a surrogate pair, never after the match. */
function wordStart(text: string, from: number, match: number): number {
	if (from === 0) return 0;
	const blank = text.slice(from - 1, Math.min(match, from + 16)).search(/\s/);
	const start = blank < 0 ? from : from + blank;
	return isLow(text, start) && isHigh(text, start - 1) ? start - 1 : start;
}

function wholeEnd(text: string, to: number): number {
	return isLow(text, to) && isHigh(text, to - 1) ? to - 1 : to;
}

function isHigh(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
