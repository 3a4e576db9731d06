/**
 * Remarks of ours inside a tool's result: each a line of its own at the end, with our name, so that what the tool itself
 * said can be told apart.
 */
/** Begins the text that stands in place of a reading which is in the conversation already. */
export const UNCHANGED = "[weft] unchanged: ";

const MARK = "\n\n[weft] ";
const TRAILING = /(?:\n\n\[weft\] [^\n]*)+$/;

export function withNotes(text: string, notes: readonly string[]): string {
	return notes.reduce((all, note) => `${all}${MARK}${note.replace(/\s*\n\s*/g, " ")}`, text);
}

/** What the tool itself said. */
export function withoutNotes(text: string): string {
	return text.includes(MARK) ? text.replace(TRAILING, "") : text;
}
