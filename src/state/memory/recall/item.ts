/**
 * An item that recall can bring back: a bullet or section of a memory file, or a past message. The owner of a text makes the items;
 * recall ranks them and knows no file format.
 */

/** Where an item comes from, the most trusted for current work first. */
export type RecallSource = "session" | "memory" | "workspace" | "history";

/** The subject of an item, if its owner knows. Decides which source is right in a conflict. */
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
	/** A stable id: the bullet's id or a handle. `weft memory why ID` accepts it. */
	readonly id: string;
	readonly text: string;
	/** The section it is in, or who said it. */
	readonly heading: string;
	readonly source: RecallSource;
	readonly kind?: RecallKind | undefined;
	/** When it was said or written, ms since the epoch. */
	readonly date?: number | undefined;
	/** Files that it mentions, relative to the project. */
	readonly paths?: readonly string[] | undefined;
	/** The file it is in. */
	readonly file?: string | undefined;
	/** Items of one stretch (a section, a session) are neighbours, in the order given. */
	readonly stretch?: string | undefined;
}
