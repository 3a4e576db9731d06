/** Remarks of ours inside a tool's result: each a paragraph at its end, with our name, so that they can be told apart. */

const MARK = "\n\n[weft] ";

export function withNotes(text: string, notes: readonly string[]): string {
	return notes.reduce((all, note) => `${all}${MARK}${note}`, text);
}

/** What the tool itself said. */
export function withoutNotes(text: string): string {
	const at = text.indexOf(MARK);
	return at === -1 ? text : text.slice(0, at);
}
