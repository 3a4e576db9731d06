import type { DatabaseSync } from "node:sqlite";
import type { EventRecord } from "./event/types.ts";

export interface AppendResult {
	/** The seq of each event, in order; of a duplicate, that of the event already there. */
	readonly seqs: readonly number[];
	/** How many were new. */
	readonly added: number;
}

/** Which events to read. All conditions must hold; without any, all events. */
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
	/** Includes events that cannot be trusted: malformed or lost ones, and newer versions of known types. */
	readonly everything?: boolean | undefined;
}

/** An event or a blob whose bytes are not what was written. */
export interface Loss {
	/** The event; undefined: a blob. */
	readonly seq?: number | undefined;
	/** SHA-256 of the blob, hex. */
	readonly blob?: string | undefined;
	/** Of an event: where a copy may be. */
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

/** The part of its log that a projection may use. */
export interface ProjectionHome {
	readonly db: DatabaseSync;
	transaction<T>(work: () => T): T;
	read(query?: ReadQuery): Iterable<EventRecord>;
	newestSeq(): number;
	/** A test for events that were fetched from another machine. */
	fetched?(): (record: EventRecord) => boolean;
}

/** State derived from the events and kept beside them. `fold/` implements it; the log only calls it. */
export interface Projection {
	/** Called when the log is opened for writing: creates missing tables, rebuilds those of another version. */
	attach(home: ProjectionHome): void;
	/** Brings the parts that do not follow every append up to date. */
	catchUp(): void;
	/** Gets the new records, in order, inside the transaction that writes them. */
	apply(records: readonly EventRecord[]): void;
	/** Drops everything and derives it again from the log. */
	rebuild(): void;
	/** Prunable events left or came back: rebuilds what depends on them. Called inside the transaction. */
	pruned(): void;
	/** Every row of every table, in a fixed order, for comparing a rebuild with what was there. */
	dump(): Iterable<string>;
	/** The same by part: each has its own newest event. */
	parts(): Iterable<ProjectionPart>;
}

export interface ProjectionPart {
	readonly name: string;
	/** The newest event that it includes. */
	readonly upTo: number;
	rows(): Iterable<string>;
}

/** The text of an event that search knows. */
export interface SearchDoc {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tool?: string | undefined;
	readonly text: string;
	/** Searched only on request. */
	readonly thinking?: string | undefined;
}

/** The text by which search finds an event; undefined: none. Pure. */
export type Searchable = (record: EventRecord) => SearchDoc | undefined;

export interface LogOptions {
	/** The project's data folder; made if it is missing. */
	readonly folder: string;
	/** Id of this installation. */
	readonly origin: string;
	readonly readOnly?: boolean | undefined;
	/** Kept up to date by every append. A function, because `verify` makes a second one to compare. */
	readonly projection?: (() => Projection) | undefined;
	/** What search finds; without it, nothing. */
	readonly searchable?: Searchable | undefined;
	/** False: search by scanning, as where SQLite has no FTS5. */
	readonly fullText?: boolean | undefined;
	readonly now?: (() => number) | undefined;
	/** How long a write keeps trying while other processes hold the lock. */
	readonly busyDeadlineMs?: number | undefined;
	/** For an agent, which reads often: looks for other processes' writes once per turn of the event loop. */
	readonly looksOncePerTick?: boolean | undefined;
	/** Called once when a write has waited a second for another process's lock. */
	readonly onWait?: ((message: string) => void) | undefined;
}
