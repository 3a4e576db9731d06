/**
 * Notes inside a tool's result: paragraphs at its end, each with our name, so that they can be separated from the tool's own words.
 */

/** Begins the outline that replaces a large text. */
export const OUTLINE = "[Large content";

const NAME = "[weft] ";
const MARK = `\n\n${NAME}`;
/** Further lines of a note: of a diff, or with a number. */
const FURTHER_LINE = /^(?:[ +\-@\\]|\d+\t|\[\d+ more lines)/;

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
