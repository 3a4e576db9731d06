import type { TextRange } from "./types.ts";

const SNIPPET_CHARS = 200;
const CONTEXT_CHARS = 64;
const CUT = "…";

export interface Snippet {
	readonly snippet: string;
	readonly ranges: readonly TextRange[];
}

/**
 * One line of a text around its first match; matches come in order. Shows control characters and line breaks as blanks, and
 * never cuts a surrogate pair.
 */
export function snippetOf(text: string, matches: readonly TextRange[]): Snippet {
	const first = matches[0]?.start ?? 0;
	const latestFrom = Math.max(0, text.length - SNIPPET_CHARS);
	const from = wordStart(text, Math.min(latestFrom, Math.max(0, first - CONTEXT_CHARS)), first);
	const to = wordEnd(text, Math.min(text.length, from + SNIPPET_CHARS), matches[0]?.end ?? from);
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

/** How far a cut may move to keep a word whole. */
const MAX_MOVED_CHARS = 40;

/** The nearby start of a word, never inside a surrogate pair and never after the match. */
function wordStart(text: string, from: number, match: number): number {
	if (from === 0) return 0;
	const near = text.slice(from - 1, Math.min(match, from + MAX_MOVED_CHARS));
	const blank = near.search(/\s/);
	const edge = blank >= 0 ? blank : near.search(/[^\p{L}\p{N}_]/u);
	const start = edge < 0 ? from : from + edge;
	return isLow(text, start) && isHigh(text, start - 1) ? start - 1 : start;
}

/** The nearby end of a word, never inside a surrogate pair and never before the end of the match. */
function wordEnd(text: string, to: number, match: number): number {
	if (to >= text.length) return text.length;
	const least = Math.max(match, to - MAX_MOVED_CHARS);
	const near = least < to ? text.slice(least, to + 1) : "";
	const blank = /\s(?=\S*$)/.exec(near)?.index ?? -1;
	const edge = blank >= 0 ? blank : (/[^\p{L}\p{N}_](?=[\p{L}\p{N}_]*$)/u.exec(near)?.index ?? -1);
	const end = edge < 0 ? to : least + edge;
	return isLow(text, end) && isHigh(text, end - 1) ? end - 1 : end;
}

function isHigh(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
