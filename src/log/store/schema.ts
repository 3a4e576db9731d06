/**
 * The tables of a log. `event`, `arrival`, `pack`, `blob`, `blob_use`, `kept`, `gap` and `word` are the log itself; all others in
 * the file are projections that can be dropped and rebuilt from them.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { EngineError } from "../../base/error/engine-error.ts";
import type { Migration } from "../../base/sqlite/migrate.ts";
import { all, one } from "../../base/sqlite/rows.ts";
import { refuseClosed } from "../database.ts";

/** "weft" in ASCII, in SQLite's header. */
export const APPLICATION_ID = 0x77656674;

export const MIGRATIONS: readonly Migration[] = [
	function m001_initial(db) {
		db.exec(`
			CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

			-- Each name that repeats (types, hosts, sessions, tools, paths), once.
			CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

			CREATE TABLE event (
				seq     INTEGER PRIMARY KEY,
				id      BLOB NOT NULL,      -- UUIDv7, rising with seq
				origin  INTEGER NOT NULL,   -- word: the installation that wrote it
				session INTEGER NOT NULL,   -- word
				host    INTEGER NOT NULL,   -- word
				ts      INTEGER NOT NULL,   -- ms since the epoch
				type    INTEGER NOT NULL,   -- word
				v       INTEGER NOT NULL,
				cause   INTEGER,            -- seq
				entry   TEXT,               -- the host's own id
				tool    INTEGER,            -- word, from the payload, for filters
				file    INTEGER,            -- word, from the payload, for filters
				size    INTEGER NOT NULL,   -- bytes of the payload's JSON
				payload ANY NOT NULL,       -- TEXT: the JSON; INTEGER: offset in its pack; BLOB: SHA-256 of a blob
				hash    BLOB NOT NULL       -- SHA-256 over the hash before and this event
			) STRICT;
			-- The only index that every append pays for. It also finds a session's events.
			CREATE UNIQUE INDEX event_entry ON event (session, type, entry, host);
			CREATE INDEX event_file ON event (file) WHERE file IS NOT NULL;

			-- Payloads of neighbouring events compressed together: a fifth of their size, and faster to read in order.
			CREATE TABLE pack (
				first INTEGER PRIMARY KEY,  -- seq of its first event
				last  INTEGER NOT NULL,
				size  INTEGER NOT NULL,     -- bytes before compression
				data  BLOB NOT NULL         -- zstd
			) STRICT;

			CREATE TABLE blob (
				hash BLOB PRIMARY KEY,      -- SHA-256 of the bytes
				size INTEGER NOT NULL,
				data BLOB NOT NULL          -- zstd
			) STRICT;
			CREATE TABLE blob_use (
				hash BLOB NOT NULL REFERENCES blob (hash),
				seq  INTEGER NOT NULL REFERENCES event (seq) ON DELETE CASCADE,
				PRIMARY KEY (hash, seq)
			) STRICT, WITHOUT ROWID;
			CREATE INDEX blob_use_seq ON blob_use (seq);

			-- The chain hash of the last pruned event before one that stays: the next hash builds on it.
			CREATE TABLE gap (
				seq    INTEGER NOT NULL,
				pruned INTEGER NOT NULL,    -- seq of the Pruned event that vouches for it
				hash   BLOB NOT NULL,
				PRIMARY KEY (seq, pruned)
			) STRICT, WITHOUT ROWID;

			-- When an event that brought its id along entered this log. Any other event's id says so itself.
			CREATE TABLE arrival (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;

			-- For people with another SQLite tool at hand.
			CREATE VIEW events AS
				SELECT e.seq, lower(hex(e.id)) AS id, s.text AS session, h.text AS host,
					datetime(e.ts / 1000, 'unixepoch') AS time, t.text AS type, e.v, e.cause, e.entry,
					tool.text AS tool, file.text AS file, e.size,
					CASE typeof(e.payload) WHEN 'text' THEN e.payload END AS payload
				FROM event e
				JOIN word s ON s.id = e.session JOIN word h ON h.id = e.host JOIN word t ON t.id = e.type
				LEFT JOIN word tool ON tool.id = e.tool LEFT JOIN word file ON file.id = e.file;
		`);
	},
	function m002_kept(db) {
		db.exec(`
			-- Bytes of the user's files, kept before a command could take them. No event needs them: the oldest leave first.
			CREATE TABLE kept (
				hash    BLOB PRIMARY KEY,   -- SHA-256 of the bytes; of a copy: of its name
				size    INTEGER NOT NULL,   -- bytes on disk
				at      INTEGER NOT NULL,   -- when they were last kept, ms since the epoch
				session TEXT NOT NULL,      -- for which session
				copy    TEXT                -- the name of a copy in the folder 'kept'; null: a blob
			) STRICT, WITHOUT ROWID;
			CREATE INDEX kept_at ON kept (at);
		`);
	},
	function m003_session_type(db) {
		// The first and last event of a session are two steps in it, however long the session is.
		db.exec("CREATE INDEX event_session_type ON event (session, type)");
	},
];

/** Queries over the tables that folds keep beside the log. A fold that never ran gives no rows. */
export class Tables {
	readonly #db: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	constructor(db: DatabaseSync) {
		this.#db = db;
	}

	/** `table`: one that the query reads. */
	all<Row>(table: string, sql: string, ...values: SQLInputValue[]): Row[] {
		const statement = this.#statement(table, sql);
		return statement ? all<Row>(statement, ...values) : [];
	}

	one<Row>(table: string, sql: string, ...values: SQLInputValue[]): Row | undefined {
		const statement = this.#statement(table, sql);
		return statement && one<Row>(statement, ...values);
	}

	/** True: a transaction is open, and its writes may still be rolled back. */
	mayChange(): boolean {
		return this.#db.isTransaction;
	}

	/** The newest event that a deferred fold includes. */
	foldedTo(fold: string): number {
		return this.one<{ seq: number }>("fold", "SELECT seq FROM fold WHERE name = ?", fold)?.seq ?? 0;
	}

	#statement(table: string, sql: string): StatementSync | undefined {
		refuseClosed(this.#db);
		const known = this.#statements.get(sql);
		if (known) return known;
		if (!this.#db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table)) return undefined;
		const statement = this.#prepare(sql);
		this.#statements.set(sql, statement);
		return statement;
	}

	/** Opening the log for writing rebuilds the tables of another version. Read-only, they stay as they are. */
	#prepare(sql: string): StatementSync {
		try {
			return this.#db.prepare(sql);
		} catch (cause) {
			const todo = "Run 'weft rebuild' once, or open the log for writing, then try again.";
			throw new EngineError("read-only", `This log was last written by another version of weft. ${todo}`, { cause });
		}
	}
}
