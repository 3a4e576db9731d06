/**
 * What recall can bring back: one bullet or section of a memory file, or one message of the past. Whoever owns the text
 * maps it to items; recall ranks them and knows no file format.
 */

/** Where an item comes from, the most trusted for the work in hand first. */
export type RecallSource = "session" | "memory" | "workspace" | "history";

/** What an item is about, where its owner knows it. It decides which source is right in a conflict. */
export type RecallKind =
	| "state"
	| "next"
	| "intent"
	| "file"
	| "decision"
	| "constraint"
	| "error"
	| "preference"
	| "fact"
	| "work"
	| "message";

export interface RecallItem {
	/** Stable: the bullet's id or a handle. It is shown, and `weft memory why ID` takes it. */
	readonly id: string;
	readonly text: string;
	/** The section it stands in, or who said it. */
	readonly heading: string;
	readonly source: RecallSource;
	readonly kind?: RecallKind | undefined;
	/** When it was said or written, ms since the epoch. */
	readonly date?: number | undefined;
	/** Files that it speaks of, relative to the project. */
	readonly paths?: readonly string[] | undefined;
	/** The file it stands in. */
	readonly file?: string | undefined;
	/** Items of one stretch (a section, a session), in the order given, are neighbours of each other. */
	readonly stretch?: string | undefined;
}
