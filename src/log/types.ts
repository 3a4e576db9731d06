import type { DatabaseSync } from "node:sqlite";
import type { EventRecord } from "../event/types.ts";

export interface AppendResult {
	/** The seq of each event, in order; that of the one already there where it is a duplicate. */
	readonly seqs: readonly number[];
	/** How many were new. */
	readonly added: number;
}

/** Which events to read. All conditions must hold; none: everything. */
export interface ReadQuery {
	/** Only events after this seq. */
	readonly after?: number;
	/** Only events up to this seq, itself included. */
	readonly upTo?: number;
	readonly session?: string;
	readonly types?: readonly string[];
	/** Time of the event, ms since the epoch; `since` included, `until` not. */
	readonly since?: number;
	readonly until?: number;
	/** A path as events hold it, or a folder ending in "/". */
	readonly file?: string;
	readonly tool?: string;
	readonly host?: string;
	readonly limit?: number;
	readonly order?: "oldest" | "newest";
}

/** The log as it was when `seq` was its newest event. */
export interface LogView {
	readonly seq: number;
	read(query?: ReadQuery): Iterable<EventRecord>;
	get(handle: number | string): EventRecord | undefined;
}

/**
 * A projection kept in tables of its own, in the same transaction as the events. It can be dropped and rebuilt at any
 * time: `apply` may read nothing but the records and its own tables.
 */
export interface TableFold {
	readonly name: string;
	/** Raise it when `create` or `apply` change: the tables are then dropped and rebuilt at the next open. */
	readonly version: number;
	readonly tables: readonly string[];
	create(db: DatabaseSync): void;
	/** Prepares statements once; the function returned is called with each batch of new records, in order. */
	prepare(db: DatabaseSync): (records: readonly EventRecord[]) => void;
}

/** What full text search knows of an event. */
export interface SearchDoc {
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tool?: string;
	readonly text: string;
	/** Searched only on request. */
	readonly thinking?: string;
}

/** Says what of an event can be found by search; undefined: nothing. Pure. */
export type Searchable = (record: EventRecord) => SearchDoc | undefined;
