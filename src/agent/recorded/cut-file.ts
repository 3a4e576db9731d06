/**
 * Files that are not lines: one JSON value, or another program's database. The database is only read, and no question
 * to it is left open while we write: its owner is never held up.
 */
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../../base/error/engine-error.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { asObject, type JsonObject } from "../../base/json/read.ts";
import { openForeign } from "../../base/sqlite/open.ts";
import { all } from "../../base/sqlite/rows.ts";
import { READERS } from "../readers.ts";
import { isDatabase } from "./detect.ts";
import { lookedFor } from "./looked-for.ts";
import type { CutSession } from "./reader.ts";

export interface CutFile {
	readonly kind: string;
	sessions(): Iterable<CutSession>;
	close(): void;
}

/** One JSON value must be held in memory whole. */
const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** Undefined: it is a file of lines, as far as anybody knows. */
export function cutFile(path: string): CutFile | undefined {
	if (isDatabase(path)) return openStore(path);
	return path.endsWith(".json") ? readWhole(path) : undefined;
}

function readWhole(path: string): CutFile | undefined {
	const text = readText(path);
	if (text === undefined) return undefined;
	const value = parse(text);
	if (!value) {
		if (/^\s*[{[]/.test(text) && !/^\s*\{[^\n]*\}\s*\n\s*\{/.test(text)) throw halfWritten(path);
		return undefined;
	}
	for (const reader of READERS) {
		const found = reader.ofWhole?.(value, text, { path, name: basename(path) });
		if (found) return { kind: reader.kind, sessions: () => [found], close: () => {} };
	}
	return undefined;
}

/** Apart, so that its bytes are let go of before it is parsed. */
function readText(path: string): string | undefined {
	const reading = readBounded(path, MAX_WHOLE_BYTES);
	return reading.kind === "bytes" ? reading.bytes.toString("utf8") : undefined;
}

/** The programs write such a file in place: a reader may meet half of it. */
export function halfWritten(path: string): EngineError {
	return new EngineError(
		"damaged",
		`${path} is not complete JSON: its program may be writing it. Nothing was imported; import it again.`,
	);
}

function openStore(path: string): CutFile | undefined {
	const file = { path, name: basename(path) };
	const db = open(path);
	try {
		const tables = new Set(
			all<{ name: string }>(db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")).map(({ name }) => name),
		);
		const reader = READERS.find((each) => each.ofTables?.(tables, file));
		if (reader?.sessionsIn) {
			const { sessionsIn } = reader;
			return { kind: reader.kind, sessions: () => sessionsIn(db, file), close: () => db.close() };
		}
	} catch (cause) {
		db.close();
		throw unreadable(path, cause);
	}
	db.close();
	throw new EngineError(
		"unknown-format",
		`${path} is a database of no known kind; nothing was imported.${lookedFor(READERS.filter((each) => each.ofTables))}`,
	);
}

function open(path: string): DatabaseSync {
	try {
		return openForeign(path);
	} catch (cause) {
		throw unreadable(path, cause);
	}
}

function unreadable(path: string, cause: unknown): EngineError {
	if (/\blocked\b/.test((cause as Error).message)) {
		return new EngineError(
			"locked",
			`${path} is locked: its program is writing to it. Nothing was imported; import it again.`,
			{ cause },
		);
	}
	return new EngineError("damaged", `${path} cannot be read as a database: ${(cause as Error).message}.`, { cause });
}

function parse(text: string): JsonObject | undefined {
	try {
		const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
		return asObject(value) ?? (Array.isArray(value) ? { list: value } : undefined);
	} catch {
		return undefined;
	}
}
