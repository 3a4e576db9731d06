/** Sessions by their names. */
export type SessionFilter = "all" | { readonly only: readonly string[] } | { readonly except: readonly string[] };

/** Which documents a search looks at. All conditions must hold. */
export interface SearchFilters {
	/** The sessions that the asker may read; by default all. A model's search always has it: see `state/session/scope.ts`. */
	readonly within?: SessionFilter | undefined;
	readonly role?: string | undefined;
	readonly tool?: string | undefined;
	/** A path as events hold it, or a folder ending in "/": finds messages that read or changed such a file. */
	readonly file?: string | undefined;
	readonly session?: string | undefined;
	/** Time of the event, ms since the epoch; `since` included, `until` not. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	/** Only events after this seq. */
	readonly afterSeq?: number | undefined;
	/** Only events before this seq. */
	readonly beforeSeq?: number | undefined;
}

export interface FindQuery extends SearchFilters {
	/** Always literal: white space separates terms, all of which are required; "double quotes" keep words together. */
	readonly text: string;
	/** Search the model's thinking too. */
	readonly thinking?: boolean | undefined;
	/** Best match first, or newest first. */
	readonly order?: "ranked" | "recent" | undefined;
	readonly limit?: number | undefined;
	/** How many hits to skip: `next` of the page before. */
	readonly offset?: number | undefined;
	/** How long to read texts one by one, where no index helps. */
	readonly deadlineMs?: number | undefined;
}

export interface RegexQuery extends SearchFilters {
	readonly pattern: string;
	readonly ignoreCase?: boolean | undefined;
	readonly thinking?: boolean | undefined;
	readonly limit?: number | undefined;
	readonly deadlineMs?: number | undefined;
	readonly signal?: AbortSignal | undefined;
}

/** In UTF-16 units, the end not included. */
export interface TextRange {
	readonly start: number;
	readonly end: number;
}

export interface Hit {
	readonly seq: number;
	readonly id: string;
	readonly session: string;
	readonly role: string;
	readonly tool?: string | undefined;
	readonly ts: number;
	/** One line around the first match. */
	readonly snippet: string;
	/** The matches inside the snippet. */
	readonly ranges: readonly TextRange[];
	/** Higher is better; 0 for a part of a word or a pattern. */
	readonly score: number;
}

export interface FindResult {
	readonly hits: readonly Hit[];
	/** How many documents were searched. */
	readonly scanned: number;
	/** Events that are not indexed yet and were not searched. */
	readonly behind: number;
	/** False: the deadline ended the search early, or some events are not indexed yet. */
	readonly complete: boolean;
	/** Offset of the next page, if there is one. */
	readonly next?: number | undefined;
}

export interface RegexResult {
	/** Newest first. */
	readonly hits: readonly Hit[];
	/** Documents that this call searched, of `total`. */
	readonly scanned: number;
	readonly total: number;
	readonly behind: number;
	/** False: the deadline or the limit ended the search early (continue with `beforeSeq: next`), or some events are not indexed yet. */
	readonly complete: boolean;
	readonly next?: number | undefined;
}
