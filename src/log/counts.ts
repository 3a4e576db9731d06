/** Counts over a log's own tables. */
import { all } from "../base/sqlite/rows.ts";
import { databaseOf } from "./database.ts";
import type { Log } from "./log.ts";

export interface TypeCount {
	readonly type: string;
	readonly events: number;
	/** Bytes of JSON, before compression. */
	readonly bytes: number;
}

/** The most frequent first. */
export function countByType(log: Log): TypeCount[] {
	return all(
		databaseOf(log).prepare(`SELECT word.text AS type, count(*) AS events, sum(event.size) AS bytes
			FROM event JOIN word ON word.id = event.type GROUP BY event.type ORDER BY events DESC, word.text`),
	);
}

/** The types of one session's events, the most frequent first. Reads only an index. */
export function countTypesOf(log: Log, session: string): { readonly type: string; readonly events: number }[] {
	return all(
		databaseOf(log).prepare(`SELECT word.text AS type, count(*) AS events
			FROM event INDEXED BY event_entry JOIN word ON word.id = event.type
			WHERE event.session = (SELECT id FROM word WHERE text = ?)
			GROUP BY event.type ORDER BY events DESC, word.text`),
		session,
	);
}

export interface SessionCount {
	readonly session: string;
	readonly host: string;
	readonly events: number;
}

export function countBySession(log: Log): SessionCount[] {
	return all(
		databaseOf(log).prepare(`SELECT session.text AS session, host.text AS host, count(*) AS events
			FROM event INDEXED BY event_entry
			JOIN word AS session ON session.id = event.session JOIN word AS host ON host.id = event.host
			GROUP BY event.session, event.host`),
	);
}

/** The tables of the log itself; all others in the file are derived from them. */
const LOG_TABLES = new Set(["event", "arrival", "pack", "blob", "blob_use", "gap", "word", "meta"]);

/** Bytes of the database file: events and blobs with their indexes, and the search index. */
export function countBytes(log: Log): { readonly log: number; readonly search: number } {
	const db = databaseOf(log);
	const schema = db.prepare("SELECT name, tbl_name AS owner FROM sqlite_schema WHERE type IN ('table', 'index')");
	const owners = new Map(all<{ name: string; owner: string }>(schema).map(({ name, owner }) => [name, owner]));
	const parts = { log: 0, search: 0 };
	const sizes = db.prepare("SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name");
	for (const { name, bytes } of all<{ name: string; bytes: number }>(sizes)) {
		const table = owners.get(name) ?? name;
		if (LOG_TABLES.has(table)) parts.log += bytes;
		else if (table.startsWith("search")) parts.search += bytes;
	}
	return parts;
}

/** The roles and tools of all indexed documents, in order. */
export function searchNames(log: Log): { readonly roles: readonly string[]; readonly tools: readonly string[] } {
	const names = (column: "role" | "tool"): string[] =>
		all<{ name: string }>(
			databaseOf(log).prepare(
				`SELECT text AS name FROM word WHERE id IN (SELECT DISTINCT ${column} FROM search_doc) ORDER BY text`,
			),
		).map(({ name }) => name);
	return log.search.stats().fullText ? { roles: names("role"), tools: names("tool") } : { roles: [], tools: [] };
}
