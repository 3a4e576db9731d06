import type { DatabaseSync } from "node:sqlite";
import type { EventRecord } from "./event/types.ts";

export interface AppendResult {
	/** The seq of each event, in order; that of the one already there where it is a duplicate. */
	readonly seqs: readonly number[];
	/** How many were new. */
	readonly added: number;
}

/** Which events to read. All conditions must hold; none: everything. */
export interface ReadQuery {
	/** Only events after this seq. */
	readonly after?: number | undefined;
	/** Only events up to this seq, itself included. */
	readonly upTo?: number | undefined;
	readonly session?: string | undefined;
	readonly types?: readonly string[] | undefined;
	/** Time of the event, ms since the epoch; `since` included, `until` not. */
	readonly since?: number | undefined;
	readonly until?: number | undefined;
	/** A path as events hold it, or a folder ending in "/". */
	readonly file?: string | undefined;
	readonly tool?: string | undefined;
	readonly host?: string | undefined;
	readonly limit?: number | undefined;
	readonly order?: "oldest" | "newest" | undefined;
	/** Also what nobody can take at its word: malformed events, lost ones, newer versions of known types. */
	readonly everything?: boolean | undefined;
}

/** An event or a blob whose bytes are not what was written. */
export interface Loss {
	/** The event; undefined: a blob. */
	readonly seq?: number | undefined;
	/** SHA-256 of the blob, hex. */
	readonly blob?: string | undefined;
	/** Of an event: whose it was, so that a copy can be found. */
	readonly session?: string | undefined;
	readonly host?: string | undefined;
	/** A predicate: "cannot be read: …". */
	readonly why: string;
}

/** The log as it was when `seq` was its newest event. */
export interface LogView {
	readonly seq: number;
	read(query?: ReadQuery): Iterable<EventRecord>;
	get(handle: number | string): EventRecord | undefined;
}

/** What a projection may use of the log that it lives in. */
export interface ProjectionHome {
	readonly db: DatabaseSync;
	transaction<T>(work: () => T): T;
	read(query?: ReadQuery): Iterable<EventRecord>;
	newestSeq(): number;
	/** Tells which events were fetched from elsewhere. */
	fetched?(): (record: EventRecord) => boolean;
}

/** State derived from the events and kept beside them. `fold/` implements it; the log only calls it. */
export interface Projection {
	/** Once, when the log is opened for writing: makes what is missing, rebuilds what is of another version. */
	attach(home: ProjectionHome): void;
	/** Folds what has been appended since, where a projection does not follow every append. */
	catchUp(): void;
	/** With the new records, in order, inside the transaction that writes them. */
	apply(records: readonly EventRecord[]): void;
	/** Drops everything and makes it again from the log. */
	rebuild(): void;
	/** Prunable events left, or came back: makes again what may have been made from them. Inside the transaction. */
	pruned(): void;
	/** Every row of every table, in a fixed order, for comparing a rebuild with what was there. */
	dump(): Iterable<string>;
	/** The same by parts: each has seen the log up to an event of its own. */
	parts(): Iterable<ProjectionPart>;
}

export interface ProjectionPart {
	readonly name: string;
	/** The newest event that it counts in. */
	readonly upTo: number;
	rows(): Iterable<string>;
}

/** What full text search knows of an event. */
export interface SearchDoc {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tool?: string | undefined;
	readonly text: string;
	/** Searched only on request. */
	readonly thinking?: string | undefined;
}

/** Says what of an event can be found by search; undefined: nothing. Pure. */
export type Searchable = (record: EventRecord) => SearchDoc | undefined;
