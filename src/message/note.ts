/**
 * Remarks of ours inside a tool's result: each a paragraph of its own at the end, with our name, so that what the tool itself
 * said can be told apart.
 */
/** Begins the outline that stands in the place of a large text. */
export const OUTLINE = "[Large content";

const NAME = "[weft] ";
const MARK = `\n\n${NAME}`;
/** Lines of a note after its first: of a diff, or with a number. */
const GOES_ON = /^(?:[ +\-@\\]|\d+\t|\[\d+ more lines)/;

export function withNotes(text: string, notes: readonly string[]): string {
	return notes.reduce((all, note) => `${all}${MARK}${oneParagraph(note)}`, text);
}

/** What the tool itself said. */
export function withoutNotes(text: string): string {
	// Nearly no text has one, and to look from the end costs V8 ten times as much.
	if (!text.includes(NAME)) return text;
	let end = text.length;
	for (let at = text.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : text.lastIndexOf(MARK, at - 1)) {
		if (!isNote(text.slice(at + MARK.length, end))) break;
		end = at;
	}
	return end === text.length ? text : text.slice(0, end);
}

/** A line that could be taken for the tool's own is put behind the one before it. */
function oneParagraph(note: string): string {
	const [first = "", ...rest] = note.split("\n");
	return rest.reduce(
		(all, line) => (GOES_ON.test(line) ? `${all}\n${line}` : `${all} ${line.trim()}`.trimEnd()),
		first,
	);
}

function isNote(text: string): boolean {
	return text
		.split("\n")
		.slice(1)
		.every((line) => GOES_ON.test(line));
}
