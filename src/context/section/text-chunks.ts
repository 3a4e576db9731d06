/** Cuts a text into pieces of some sentences each. A piece begins with a word and ends with one, and no heading is without what it heads. */
import { cutAtSentence } from "../../base/text/cut.ts";

/** Lines are joined up to this length; longer ones are cut at sentences or words. */
export const CHUNK_CHARS = 260;
export const MAX_PIECE_CHARS = 400;
/** A longer block of code shows a file, and the seed has those; a short one is a command to type. */
const MAX_CODE_LINES = 12;
const MAX_HEADING_CHARS = 100;

/** A piece of a text, with what it is about where it begins within a list. */
export interface Chunk {
	readonly text: string;
	/** Empty: the piece says it itself. */
	readonly lead: string;
}

export function chunksOf(text: string): string[] {
	return ledChunks(text).map((chunk) => chunk.text);
}

export function ledChunks(text: string): Chunk[] {
	const lines = withoutLongCode(text.split("\n").filter((line) => !RULER.test(line)));
	return grouped(lines).map((part) => ({ text: joined(part), lead: leadAbove(lines, part[0]?.at ?? 0) }));
}

/** A line across the page. */
const RULER = /^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/;

const LISTED = /^\s*(?:[-*•+] |\d{1,2}[.)] )/;
const NUMBERED = /^\s*\d{1,2}[.)] /;
const COLON = /[:：]["'”’)\]*_`]*$/;
const MAX_LEAD_CHARS = 100;

/** For a line within a list: the item that holds it, or the words or the heading above the list. */
function leadAbove(lines: readonly string[], at: number): string {
	const line = lines[at] ?? "";
	if (!LISTED.test(line)) return "";
	const indent = indentOf(line);
	for (let above = at - 1; above >= 0; above--) {
		const each = lines[above] ?? "";
		if (each.trim() === "" || indentOf(each) > indent) continue;
		if (!LISTED.test(each)) return isHeading(each.trim()) || COLON.test(each) ? leadWords(each) : "";
		// Points below a number, though they are not indented.
		const holds = indentOf(each) < indent || (NUMBERED.test(each) && !NUMBERED.test(line));
		if (holds) return leadWords(each);
	}
	return "";
}

function indentOf(line: string): number {
	return line.length - line.trimStart().length;
}

/** Of more than a few words the last clause, which says what the list is. */
function leadWords(line: string): string {
	const words = line.replaceAll(/^\s*(?:[-*•+] |\d{1,2}[.)] |#{1,6} )+|\*\*|__/g, "").trim();
	const clauses = words.split(/(?<=[.!?:。：])\s+/);
	return cutAtSentence(words.length > MAX_LEAD_CHARS ? (clauses.at(-1) ?? words) : words, MAX_LEAD_CHARS);
}

/** Lines as they are, those that are long in pieces. */
export function groupLines(lines: readonly string[]): string[] {
	return grouped(lines).map(joined);
}

/** A line, or a part of a long one, with the number of its line. */
interface Line {
	readonly text: string;
	readonly at: number;
}

function joined(part: readonly Line[]): string {
	return part.map(({ text }) => text).join(" ");
}

function grouped(lines: readonly string[]): Line[][] {
	const parts: Line[][] = [];
	for (const line of lines.flatMap((each, at) => cutLine(each.trim()).map((text) => ({ text, at })))) {
		const last = parts.at(-1);
		const size = last?.reduce((sum, { text }) => sum + text.length + 1, 0) ?? 0;
		const isLed = last !== undefined && COLON.test(last.at(-1)?.text ?? "") && !isHeading(last.at(-1)?.text ?? "");
		if (last && (size + line.text.length < CHUNK_CHARS || isLed || last.every(({ text }) => isHeading(text))))
			last.push(line);
		else parts.push([...headingsAtEnd(last), line]);
	}
	headingsAtEnd(parts.at(-1));
	return parts.filter((part) => part.length > 0);
}

/** Takes them from the piece: they belong to what follows. */
function headingsAtEnd(part: Line[] | undefined): Line[] {
	if (!part) return [];
	const last = part.findLastIndex(({ text }) => !isHeading(text));
	return part.splice(last + 1);
}

/** `## Next`, `**Next**`, `7. Pending Tasks:` */
export function isHeading(line: string): boolean {
	if (line.length > MAX_HEADING_CHARS) return false;
	return /^#{1,6} /.test(line) || /^\*\*[^*]+\*\*:?$/.test(line) || COLON.test(line);
}

function cutLine(line: string): string[] {
	const parts: string[] = [];
	let rest = line;
	while (rest !== "") {
		const part = rest.length <= MAX_PIECE_CHARS ? rest : cutAtSentence(rest, MAX_PIECE_CHARS).replace(/…$/, "");
		parts.push(part.trim());
		rest = rest.slice(part.length).trim();
	}
	return parts;
}

/** No piece has the line: a fence of code, a line across the page. */
export function isLeftOut(line: string): boolean {
	return FENCE.test(line) || RULER.test(line);
}

const FENCE = /^\s*(?:```|~~~)/;

function withoutLongCode(lines: readonly string[]): string[] {
	const kept: string[] = [];
	let code: string[] | undefined;
	for (const line of lines) {
		if (FENCE.test(line)) {
			if (code && code.length <= MAX_CODE_LINES) kept.push(...code);
			code = code ? undefined : [];
		} else (code ?? kept).push(line);
	}
	// A block without an end may be anything.
	return code ? [...kept, ...code] : kept;
}
