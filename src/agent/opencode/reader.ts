import { dirname, isAbsolute, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { asName, asNumber, asObject, type JsonObject, parseJson } from "../../base/json/read.ts";
import { all, one } from "../../base/sqlite/rows.ts";
import type { SessionReader, StoreRecord, StoreSession } from "../recorded/session-reader.ts";
import { exportedSession } from "./export-file.ts";
import { storedAsJson } from "./json-store.ts";
import { isDone, rowRecord, sessionOf } from "./session.ts";

/** Kilo is the same program under another name. */
export const opencodeReader = readerOf("opencode", "opencode", (tables) => !isKilo(tables));
export const kiloReader = readerOf("kilo", "Kilo", isKilo);

function readerOf(kind: string, name: string, isIts: (tables: ReadonlySet<string>) => boolean): SessionReader {
	return {
		kind,
		name,
		looksFor: `a database with tables session, message and part, storage/session/…/ses_….json, or a file of \`${kind} export\``,
		ofTables: (tables) => ["session", "message", "part"].every((table) => tables.has(table)) && isIts(tables),
		sessionsIn: (db, file) => sessionsIn(db, kind, dirname(file.path)),
		/** The files of releases before the database, and exports. */
		ofWhole(value, text, file) {
			const isKilos = /[/\\]kilo[/\\]/.test(file.path);
			if (isKilos !== (kind === "kilo")) return undefined;
			return storedAsJson(kind, value, text, file) ?? exportedSession(kind, value, text, file);
		},
		places(env, home) {
			const folder = join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), kind);
			const named = env[`${kind.toUpperCase()}_DB`];
			const file = !named ? join(folder, `${kind}.db`) : isAbsolute(named) ? named : join(folder, named);
			return [{ path: file }, { path: join(folder, "storage", "session") }];
		},
	};
}

function isKilo(tables: ReadonlySet<string>): boolean {
	return [...tables].some((table) => table.startsWith("kilo_"));
}

type OpencodeRow = JsonObject & { readonly id: string };

function* sessionsIn(db: DatabaseSync, host: string, folder: string): Generator<StoreSession> {
	const stored = all<OpencodeRow>(db.prepare("SELECT * FROM session ORDER BY time_created, id"));
	// A damaged row may have no id.
	const rows = stored.map((row): OpencodeRow => ({ ...row, id: asName(row.id) ?? "" }));
	const parents = new Map(rows.map((row) => [row.id, asName(row["parent_id"])]));
	for (const row of rows) {
		const cwd = asName(row["directory"]);
		const version = asName(row["version"]);
		const created = asNumber(row["time_created"]);
		yield {
			...sessionOf({ host, id: row.id, parents, cwd, version, created, folder }),
			records: () => recordsOf(db, row),
			get stamp() {
				return stampOf(db, row);
			},
		};
	}
}

/** opencode changes rows in place, so the newest time of any row shows a change. */
function stampOf(db: DatabaseSync, { id, time_updated }: OpencodeRow): string {
	const newest = (table: "message" | "part") =>
		one<{ at: number | null }>(db.prepare(`SELECT max(time_updated) AS at FROM ${table} WHERE session_id = ?`), id)?.at;
	return [time_updated, newest("message"), newest("part")].join(" ");
}

/** Leaves an unfinished message for later. The parts of a message come before it. */
function* recordsOf(db: DatabaseSync, session: OpencodeRow): Generator<StoreRecord> {
	const { id } = session;
	yield { text: JSON.stringify({ table: "session", ...lasting(session) }) };
	// Holds only ids and fetches a few rows at a time, by the one index that every table has.
	const named = all<OpencodeRow>(db.prepare("SELECT id, message_id FROM part WHERE session_id = ? ORDER BY id"), id);
	const parts = Map.groupBy(named, (part) => asName(part["message_id"]));
	const ids = all<OpencodeRow>(db.prepare("SELECT id FROM message WHERE session_id = ? ORDER BY id"), id);
	const [readMessages, readParts] = [rowsById(db, "message"), rowsById(db, "part")];
	for (let from = 0; from < ids.length; from += MESSAGES_AT_ONCE) {
		for (const message of readMessages(ids.slice(from, from + MESSAGES_AT_ONCE))) {
			if (message.id === ids.at(-1)?.id && !isDone(asObject(parseJson(String(message["data"]))))) continue;
			for (const part of readParts(parts.get(message.id) ?? [])) yield recordOf("part", part);
			yield recordOf("message", message);
		}
	}
}

const MESSAGES_AT_ONCE = 50;

/** Fetches rows in the order of their ids. */
function rowsById(db: DatabaseSync, table: "message" | "part"): (rows: readonly OpencodeRow[]) => OpencodeRow[] {
	const find = db.prepare(`SELECT * FROM ${table} WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id`);
	return (rows) => all<OpencodeRow>(find, JSON.stringify(rows.map(({ id }) => id)));
}

/** The columns that never change. Counters and titles change with each message, and would add an entry each time. */
const LASTING_COLUMNS = [
	"id",
	"project_id",
	"workspace_id",
	"parent_id",
	"slug",
	"directory",
	"path",
	"version",
	"time_created",
];

function lasting(session: OpencodeRow): JsonObject {
	return Object.fromEntries(LASTING_COLUMNS.flatMap((name) => (name in session ? [[name, session[name]]] : [])));
}

/** Data that is not JSON becomes a string. */
function recordOf(table: string, { data, ...columns }: OpencodeRow): StoreRecord {
	const text = typeof data === "string" ? data : "null";
	const value = parseJson(text);
	return value === undefined
		? rowRecord({ table, ...columns }, JSON.stringify(text), text)
		: rowRecord({ table, ...columns }, text, value);
}
