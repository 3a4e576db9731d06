/** Cuts a text into pieces of some sentences each. A piece begins with a word and ends with one, and no heading is without what it heads. */
import { cutAtSentence } from "../../base/text/cut.ts";

/** Lines are joined up to this length; longer ones are cut at sentences or words. */
export const CHUNK_CHARS = 260;
export const MAX_PIECE_CHARS = 400;
/** A longer block of code shows a file, and the seed has those; a short one is a command to type. */
const MAX_CODE_LINES = 12;
const MAX_HEADING_CHARS = 100;

export function chunksOf(text: string): string[] {
	return groupLines(withoutLongCode(text.split("\n").filter((line) => !RULER.test(line))));
}

/** A line across the page. */
const RULER = /^\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*$/;

const LISTED = /^(?:[-*•] |\d{1,2}[.)] )/;
/** What a list is about: the words with a colon before its first item, or the heading above it. */
const LEAD =
	/(?:^|[.!?:。]\s+|\s)((?:#{1,6} |\*\*)?\p{L}[^.:!?。\n]{3,100}:|#{1,6} [^#:]{3,80}?)(?:\*\*)?(?=\s+(?:[-*•] |\d{1,2}[.)] ))/gu;

/** For a piece that begins in the middle of a list: what that list is about. Empty: the piece says it itself. */
export function leadOf(pieces: readonly string[], at: number): string {
	if (!LISTED.test(pieces[at] ?? "")) return "";
	return [...pieces.slice(0, at).join(" ").matchAll(LEAD)].at(-1)?.[1]?.replace(/^#+ /, "").trim() ?? "";
}

/** Lines as they are, those that are long in pieces. */
export function groupLines(lines: readonly string[]): string[] {
	const parts: string[][] = [];
	for (const line of lines.flatMap((each) => cutLine(each.trim()))) {
		const last = parts.at(-1);
		const size = last?.reduce((sum, each) => sum + each.length + 1, 0) ?? 0;
		if (last && (size + line.length < CHUNK_CHARS || last.every(isHeading))) last.push(line);
		else parts.push([...headingsAtEnd(last), line]);
	}
	headingsAtEnd(parts.at(-1));
	return parts.filter((part) => part.length > 0).map((part) => part.join(" "));
}

/** Takes them from the piece: they belong to what follows. */
function headingsAtEnd(part: string[] | undefined): string[] {
	if (!part) return [];
	const last = part.findLastIndex((line) => !isHeading(line));
	return part.splice(last + 1);
}

/** `## Next`, `**Next**`, `7. Pending Tasks:` */
export function isHeading(line: string): boolean {
	if (line.length > MAX_HEADING_CHARS) return false;
	return /^#{1,6} /.test(line) || /^\*\*[^*]+\*\*:?$/.test(line) || /[:：]["'”’)\]*_`]*$/.test(line);
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
