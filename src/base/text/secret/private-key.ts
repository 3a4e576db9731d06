/**
 * Private keys: whole, cut at either end, numbered by `cat -n` or `grep -n`, quoted, in a diff, or in a string with
 * `\n`. A key continues for as long as lines of base64 follow, whatever a tool put before them.
 */
import type { SecretRange } from "./value.ts";

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** How the known kinds of keys begin in base64 without marks: their ASN.1 header, or OpenSSH's magic word. */
const BARE =
	/(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{5}(?:IBADANBgkqhkiG9w0|IBAAKC)|b3BlbnNzaC1rZXktdjE|MC4CAQAwBQYDK2V[wu]BCIE|MH[cQ]CAQEEI|MIGHAgEAMBMGByqGSM49)/g;

/** A line break, or its escape, however often the string was nested in another. */
const BREAK = /\r?\n|\\{1,8}r\\{1,8}n|\\{1,8}n/g;
/** Decoration that tools put around a line: numbers, file names, quote and diff marks, boxes. */
const BODY = /^(?:[^\n]{0,120}[\t :|→>+│-])?(?=[A-Za-z0-9+/=]*$)[A-Za-z0-9+/]+={0,2}$/;
const HEADER = /(?:^|[\t :|→>+│-])(?:Proc-Type|DEK-Info|Version|Comment|Hash): /;
const BLANK = /^[\s\d:|→>+│-]{0,12}$/;
const DECORATED_END = /[\s│|"',]+$/;
/** A shorter line belongs to the key only before its end mark: it could be any word. */
const MIN_LINE_CHARS = 16;
const MAX_LINE_CHARS = 400;
/** A key with blanks for line breaks; a short last piece counts only at its end mark or at the end of the text. */
const ONE_LINE =
	/^[A-Za-z0-9+/=]*(?:[ \t]{1,4}[A-Za-z0-9+/]{16,}={0,2})*(?:[ \t]{1,4}[A-Za-z0-9+/]{0,64}={0,2}(?=…|\.\.\.|\n\0|$|[ \t]{0,4}-))?(?:[ \t]{0,4}-{1,5}(?:(?=…|\.\.\.|\n\0|$)|END [A-Z0-9 ]{0,60}-{0,5}|E(?:ND?)? ?(?=…|\.\.\.|\n\0|$)))?/;
/** A one-line key whose beginning was cut off. */
const FLAT_REST = /(?:[A-Za-z0-9+/]{16,}={0,2} +)+(?:[A-Za-z0-9+/]{1,15}={0,2} +)?$/;
const MAX_KEY_CHARS = 20_000;

export function* privateKeys(text: string): Generator<SecretRange> {
	if (text.includes("PRIVATE KEY")) {
		let done = 0;
		for (const { index, 0: mark } of text.matchAll(BEGIN)) {
			if (index < done) continue;
			done = endOfKey(text, index + mark.length);
			yield [index, done];
		}
		for (const { index, 0: mark } of text.matchAll(END)) yield [startOfKey(text, index), index + mark.length];
	}
	for (const { index, 0: mark } of text.matchAll(BARE)) yield [index, endOfKey(text, index + mark.length)];
}

function endOfKey(text: string, from: number): number {
	let end = from + (ONE_LINE.exec(text.slice(from, from + MAX_KEY_CHARS))?.[0].length ?? 0);
	for (let line = lineAfter(text, end); line; line = lineAfter(text, line.end)) {
		const content = text.slice(line.start, line.end).replace(DECORATED_END, "");
		const mark = new RegExp(END.source).exec(content);
		if (mark) return line.start + mark.index + mark[0].length;
		if (isBody(content, MIN_LINE_CHARS) || HEADER.test(content)) end = line.start + content.length;
		else if (isBody(content, 1) && isEndMark(text, lineAfter(text, line.end))) end = line.start + content.length;
		else if (!BLANK.test(content)) return end + cutLine(text, end, line.start, content);
	}
	return end;
}

/** The length of the base64 in a last line that was cut off and followed by words. */
function cutLine(text: string, end: number, start: number, content: string): number {
	const run = /^[\s\d:|→>+-]{0,12}[A-Za-z0-9+/]{16,}/.exec(content);
	return run && text[end] !== undefined ? start - end + run[0].length : 0;
}

/** Backwards from the mark at the end, line by line. */
function startOfKey(text: string, from: number): number {
	const flat = FLAT_REST.exec(text.slice(Math.max(0, from - MAX_KEY_CHARS), from));
	if (flat) return from - flat[0].length;
	let start = from;
	for (let least = 1; ; least = MIN_LINE_CHARS) {
		const base = Math.max(0, start - 2 * MAX_LINE_CHARS);
		const breaks = [...text.slice(base, start).matchAll(BREAK)];
		const last = breaks.at(-1);
		if (!last) return start;
		const before = breaks.at(-2);
		const lineStart = base + (before ? before.index + before[0].length : 0);
		if (!before && base > 0) return start;
		const content = text.slice(lineStart, base + last.index).replace(DECORATED_END, "");
		if (!isBody(content, least)) return start;
		start = lineStart;
	}
}

function isBody(content: string, least: number): boolean {
	const base64 = /[A-Za-z0-9+/=]*$/.exec(content)?.[0] ?? "";
	return BODY.test(content) && base64.length >= least;
}

function isEndMark(text: string, line: LineSpan | undefined): boolean {
	return line !== undefined && text.slice(line.start, line.end).includes("-----END ");
}

interface LineSpan {
	readonly start: number;
	readonly end: number;
}

/** The line after the next break; undefined: `at` is not followed by one, or the text ends. */
function lineAfter(text: string, at: number): LineSpan | undefined {
	const found = nextBreak(text, at);
	if (!found) return undefined;
	return {
		start: found.end,
		end: nextBreak(text, found.end)?.start ?? Math.min(text.length, found.end + MAX_LINE_CHARS),
	};
}

function nextBreak(text: string, at: number): LineSpan | undefined {
	const pattern = new RegExp(BREAK.source, "g");
	const window = text.slice(at, at + MAX_LINE_CHARS);
	const match = pattern.exec(window);
	return match ? { start: at + match.index, end: at + match.index + match[0].length } : undefined;
}
