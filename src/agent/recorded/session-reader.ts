/**
 * How to read the recorded sessions of one agent: recognise its files and databases, cut them into records, and translate a
 * record into events. Each agent's folder has a `reader.ts`; nothing outside of it knows the format. The log keeps every
 * record verbatim, under the reader's name for it or a hash of its content.
 */
import type { DatabaseSync } from "node:sqlite";
import type { JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { ImportTarget } from "./intake.ts";

/** The part of the log that a translator may look at. */
export type KnownEvents = Pick<ImportTarget, "read" | "putBlob">;

/** `number`: of the record in its file, from 1. */
export type Translate = (value: JsonObject, text: string, number: number) => readonly NewEvent[];

export interface FoundSession {
	/** For lines that name no session. */
	readonly session: string;
	readonly cwd: string | undefined;
	/** `flush` writes everything translated so far. */
	open(log: KnownEvents, flush: () => void): Translate;
	/** Events before the first record: the part of a parent that a fork continues. */
	before?(): AsyncIterable<readonly NewEvent[]>;
}

export interface StoreRecord {
	/** JSON. */
	readonly text: string;
	/** The same, if the reader had to parse it. */
	readonly value?: JsonObject | undefined;
}

/** A session whose records are not lines of a file. */
export interface StoreSession extends FoundSession {
	records(): Iterable<StoreRecord>;
	/** Differs when there is something new; undefined: only reading the session shows it. */
	readonly stamp?: string | undefined;
}

export interface SourceFile {
	readonly path: string;
	/** Without its folder. */
	readonly name: string;
}

/** Where an agent keeps its sessions. */
export interface SessionLocation {
	/** A folder, or a single file. */
	readonly path: string;
	/** Which files of the folder are sessions, by relative path with forward slashes. By default all of a known kind. */
	readonly holds?: ((path: string) => boolean) | undefined;
}

export interface SessionReader {
	/** Also the `host` of its events. */
	readonly kind: string;
	/** The program's name, for people. */
	readonly name: string;
	/** How its files are recognised, for the error about a file that no reader knows. */
	readonly looksFor: string;
	/** A file of lines. Decides as soon as the lines allow it; with `isAll` no more will come. */
	ofLines?(lines: readonly (JsonObject | undefined)[], file: SourceFile, isAll: boolean): FoundSession | undefined;
	/** A file that is one JSON value. */
	ofWhole?(value: JsonObject, text: string, file: SourceFile): StoreSession | undefined;
	/** A database with these tables. */
	ofTables?(tables: ReadonlySet<string>, file: SourceFile): boolean;
	sessionsIn?(db: DatabaseSync, file: SourceFile): Iterable<StoreSession>;
	places(env: NodeJS.ProcessEnv, home: string): readonly SessionLocation[];
	/** True: weft shortens the agent's tool results, so replay has no row without limits for it. */
	readonly shortensResults?: boolean | undefined;
	/** True: the program continues a session from a file of its entries. */
	readonly resumesFromEntries?: boolean | undefined;
	/** True: the session records the requests that the program sent. */
	readonly recordsRequests?: boolean | undefined;
}
