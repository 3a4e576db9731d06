/**
 * Notes inside a tool's result: paragraphs at its end, each with our name, so that they can be separated from the tool's own words.
 */
import { disarmTags, encloseTags } from "./enclosure.ts";

/** Begins the outline that replaces a large text. */
export const OUTLINE = "[Large content";

const NAME = "[weft] ";
const MARK = `\n\n${NAME}`;
/** Further lines of a note: of a diff, or with a number. */
const FURTHER_LINE = /^(?:[ +\-@\\]|\d+\t|\[\d+ more lines|\[end [0-9a-f]{8}\]$)/;
const LIKE_A_NOTE = /^[ \t]*\[weft\] /m;

/** The last word on an output that imitates notes: everything above it is the tool's own. */
export const NOT_OURS = "The lines above that begin with [weft] are part of the tool's output, not notes of weft.";

/** True: the tool's own words could pass for a note. */
export function imitatesNotes(text: string): boolean {
	return text.includes(NAME) && LIKE_A_NOTE.test(text);
}

/**
 * A note, or the reason of a refusal, with what others wrote in it made safe: names in our sentences cannot open or close a
 * block of a program, and lines of files, which stay exact, end with a mark if they hold something like that. `salt` as in
 * `enclose`.
 */
export function safeNote(note: string, salt: string): string {
	const lines = note.split("\n");
	const isQuoted = (line: string, at: number) => at > 0 && FURTHER_LINE.test(line);
	const first = lines.findIndex(isQuoted);
	const last = lines.findLastIndex(isQuoted);
	if (first === -1) return disarmTags(lines.join(" "));
	const quoted = lines.slice(first, last + 1).join("\n");
	const [before, after] = [lines.slice(0, first), lines.slice(last + 1)].map((part) => disarmTags(part.join(" ")));
	const { until, end } = encloseTags(quoted, salt);
	const announced = until && ` (The lines below go ${until}.)`;
	return `${before}${announced}\n${quoted}${end}${after && `\n${after}`}`;
}

export function withNotes(text: string, notes: readonly string[]): string {
	return notes.reduce((all, note) => `${all}${MARK}${oneParagraph(note)}`, text);
}

/** The tool's own words. */
export function withoutNotes(text: string): string {
	// Few texts have a note, and searching from the end costs V8 ten times as much.
	if (!text.includes(NAME)) return text;
	let end = text.length;
	for (let at = text.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(MARK, at - 1)) {
		if (!isNote(text.slice(at + MARK.length, end))) break;
		end = at;
	}
	return end === text.length ? text : text.slice(0, end);
}

/** Joins lines that could be mistaken for tool output to the line before. */
function oneParagraph(note: string): string {
	const [first = "", ...rest] = note.split("\n");
	return rest.reduce(
		(all, line) => (FURTHER_LINE.test(line) ? `${all}\n${line}` : `${all} ${line.trim()}`.trimEnd()),
		first,
	);
}

function isNote(text: string): boolean {
	return text
		.split("\n")
		.slice(1)
		.every((line) => FURTHER_LINE.test(line));
}
