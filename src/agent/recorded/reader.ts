/**
 * What a family of agents' recorded sessions needs to be read: how a file or database of theirs is known, how it is cut
 * into records, how a record becomes events. Each family is a folder with a reader; nothing about its format is known
 * outside. Every record is kept as it was written; it is named by the reader or by its content.
 */
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../../base/json/read.ts";
import type { EventRecord, NewEvent } from "../../log/event/types.ts";
import type { ReadQuery } from "../../log/types.ts";

/** What of the log is needed to translate: what it already holds. */
export interface KnownEvents {
	read(query?: ReadQuery): Iterable<EventRecord>;
	/** Keeps bytes that stand beside a session; returns their SHA-256. */
	putBlob?(bytes: Buffer): string;
}

/** `number`: from 1, in the file. */
export type Translate = (value: JsonObject, text: string, number: number) => readonly NewEvent[];

export interface FoundSession {
	/** Where lines go that name no session. */
	readonly session: string;
	readonly cwd: string | undefined;
	/** `flush` writes what was translated so far. */
	open(log: KnownEvents, flush: () => void): Translate;
	/** Events that stand before the first record: the part of a parent that a fork goes on from. */
	before?(): AsyncIterable<readonly NewEvent[]>;
}

/** A JSON text, and what it says where the reader had to parse it. */
export interface CutRecord {
	readonly text: string;
	readonly value?: JsonObject | undefined;
}

/** A session whose records are not lines of a file. */
export interface CutSession extends FoundSession {
	records(): Iterable<CutRecord>;
	/** Another one when there is something new; undefined: only reading it tells. */
	readonly stamp?: string | undefined;
}

export interface SourceFile {
	readonly path: string;
	/** Without its folder. */
	readonly name: string;
}

/** Where an agent keeps its sessions. */
export interface Place {
	/** A folder, or a single file. */
	readonly path: string;
	/** Which files in it are sessions, by their path relative to it, with forward slashes. All of its kind by default. */
	readonly holds?: ((path: string) => boolean) | undefined;
}

export interface Reader {
	/** Also the host of the events. */
	readonly kind: string;
	/** As people call the program. */
	readonly name: string;
	/** What tells its files from others, for a message about a file that nobody knows. */
	readonly looksFor: string;
	/** A file of lines. Decides as soon as the lines allow it; undefined: not yet, or never. */
	ofLines?(lines: readonly (JsonObject | undefined)[], file: SourceFile, isAll: boolean): FoundSession | undefined;
	/** A file that is one JSON value. */
	ofWhole?(value: JsonObject, text: string, file: SourceFile): CutSession | undefined;
	/** A database with these tables. */
	ofTables?(tables: ReadonlySet<string>, file: SourceFile): boolean;
	sessionsIn?(db: DatabaseSync, file: SourceFile): Iterable<CutSession>;
	places(env: NodeJS.ProcessEnv, home: string): readonly Place[];
}
