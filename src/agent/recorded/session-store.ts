/**
 * Session files that are not lines: one JSON value, or another program's database. We only read the database, and no query
 * stays open while we write to our log: the owner never waits for us.
 */
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { readBounded, textOf } from "../../base/file/regular-file.ts";
import { asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import { computedTables, openForeign, storedTables } from "../../base/sqlite/open.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { nameInLine } from "../../message/enclosure.ts";
import { askReader, isDatabase, renderKnownKinds } from "./file-kind.ts";
import { readLines } from "./line-reader.ts";
import type { SessionReader, StoreSession } from "./session-reader.ts";

export interface SessionStore {
	readonly kind: string;
	sessions(): Iterable<StoreSession>;
	close(): void;
}

const MAX_NAMES_CHARS = 200;
/** A JSON value is held in memory as a whole. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** Undefined: probably a file of lines. */
export function openStore(path: string, readers: readonly SessionReader[]): SessionStore | undefined {
	if (isDatabase(path)) return openDatabase(path, readers);
	return path.endsWith(".json") ? readWhole(path, readers) : undefined;
}

function readWhole(path: string, readers: readonly SessionReader[]): SessionStore | undefined {
	const text = readText(path);
	if (text === undefined) return undefined;
	const value = parse(text);
	if (!value) {
		if (/^\s*[{[]/.test(text) && !/^\s*\{[^\n]*\}\s*\n\s*\{/.test(text)) throw incompleteJson(path);
		return undefined;
	}
	for (const reader of readers) {
		const found = askReader(path, () => reader.ofWhole?.(value, text, { path, name: basename(path) }));
		if (found) return { kind: reader.kind, sessions: () => [found], close: () => {} };
	}
	return undefined;
}

/** A function of its own, so that the bytes are free before the text is parsed. */
function readText(path: string): string | undefined {
	return textOf(readBounded(path, MAX_WHOLE_BYTES));
}

/** Programs rewrite such a file in place, so we may read half of it. */
export function incompleteJson(path: string): EngineError {
	return new EngineError(
		"damaged",
		`${path} is not complete JSON: its program may be writing it. Nothing was imported; import it again.`,
	);
}

function openDatabase(path: string, readers: readonly SessionReader[]): SessionStore {
	const file = { path, name: basename(path) };
	const db = open(path);
	try {
		const tables = storedTables(db);
		const reader = readers.find((each) => each.ofTables?.(tables, file));
		if (reader?.sessionsIn) {
			const { sessionsIn } = reader;
			const sessions = () => sessionsOf(path, () => sessionsIn(db, file));
			return { kind: reader.kind, sessions, close: () => db.close() };
		}
		const computed = computedTables(db);
		if (readers.some((each) => each.ofTables?.(new Set([...tables, ...computed]), file))) {
			const names = computed.map(nameInLine).join(", ");
			throw new EngineError(
				"unknown-format",
				`${path} was not read: rows of ${cutWithEllipsis(names, MAX_NAMES_CHARS)} are computed, and weft reads only rows that are stored.`,
			);
		}
	} catch (cause) {
		db.close();
		throw unreadable(path, cause);
	}
	db.close();
	throw new EngineError(
		"unknown-format",
		`${path} is a database of no known kind.${renderKnownKinds(readers.filter((each) => each.ofTables))}`,
	);
}

/** SQLite meets a damaged page or a missing column only when it reads the rows: its errors become sentences there too. */
function* sessionsOf(path: string, list: () => Iterable<StoreSession>): Generator<StoreSession> {
	for (const found of inSentences(path, list)) {
		yield {
			session: found.session,
			cwd: found.cwd,
			open: (log, flush) => found.open(log, flush),
			records: () => inSentences(path, () => found.records()),
			get stamp() {
				try {
					return found.stamp;
				} catch {
					// Reading the session will say why.
					return undefined;
				}
			},
		};
	}
}

function* inSentences<Item>(path: string, list: () => Iterable<Item>): Generator<Item> {
	try {
		yield* list();
	} catch (cause) {
		throw unreadable(path, cause);
	}
}

function open(path: string): DatabaseSync {
	try {
		return openForeign(path);
	} catch (cause) {
		throw unreadable(path, cause);
	}
}

function unreadable(path: string, cause: unknown): EngineError {
	if (cause instanceof EngineError) return cause;
	if (/\blocked\b/.test(errorText(cause))) {
		return new EngineError(
			"locked",
			`${path} is locked: its program is writing to it. Nothing was imported; import it again.`,
			{ cause },
		);
	}
	const missing = /\bno such (?:column|table): \S+/.exec(errorText(cause))?.[0];
	if (missing !== undefined)
		return new EngineError("unknown-format", `${path} is of a version that weft cannot read: ${missing}.`, { cause });
	return new EngineError("damaged", `${path} cannot be read as a database: ${errorText(cause)}.`, { cause });
}

function parse(text: string): JsonObject | undefined {
	try {
		const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
		return asObject(value) ?? (Array.isArray(value) ? { list: value } : undefined);
	} catch {
		return undefined;
	}
}

/** A line, a part of a JSON value, or a database row. */
export interface SourceRecord {
	readonly number: number;
	/** Undefined: too long. */
	readonly line: string | Buffer | undefined;
	/** The last line of a file that its program may still be writing: an import skips it. */
	readonly isHalf?: boolean | undefined;
}

/** The records of a session file as it holds them, without blank lines. */
export async function* readRecords(path: string, readers: readonly SessionReader[]): AsyncGenerator<SourceRecord> {
	const store = openStore(path, readers);
	if (!store) {
		for await (const { number, text, bytes, ended } of readLines(path)) {
			const trimmed = text?.trim();
			const isHalf = !ended && parseObject(trimmed ?? "") === undefined;
			if (trimmed !== "") yield { number, line: bytes ?? trimmed, isHalf };
		}
		return;
	}
	try {
		let number = 0;
		for (const session of store.sessions())
			for (const { text } of session.records()) yield { number: ++number, line: text };
	} finally {
		store.close();
	}
}
