/**
 * Finds the event of a handle. A handle is a hash of an event's fields, so an index holds them: a projection with a checkpoint,
 * brought up to date at each lookup. An append does not pay for it, and a lookup costs the same in a log of any size. Where
 * the index cannot be written, the missing part is read from the log and kept in memory.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { all, each, one } from "../../base/sqlite/rows.ts";
import { isWriteRefused } from "../../base/sqlite/sqlite-error.ts";
import { HANDLE_HEX, handleOf } from "../handle.ts";
import { formatUuid } from "./uuid.ts";
import type { WordDictionary } from "./word-dictionary.ts";

export interface HandleIndexParts {
	readonly db: DatabaseSync;
	readonly words: WordDictionary;
	readonly readOnly: boolean;
	transaction<T>(work: () => T): T;
}

interface HandleRow {
	readonly seq: number;
	readonly id: Uint8Array;
	readonly session: number;
	readonly host: number;
	readonly type: number;
	readonly entry: string | null;
}

const COLUMNS = "seq, id, session, host, type, entry";
const STEP_ROWS = 2_000;

export class HandleIndex {
	readonly #parts: HandleIndexParts;
	/** The part that the index lacks, up to `#readTo`, if it cannot be written. */
	readonly #read = new Map<number, number[]>();
	#readTo = 0;
	/** Events up to this one were indexed at the last look. */
	#upTo = 0;
	readonly #prepared = new Map<string, StatementSync>();

	constructor(parts: HandleIndexParts) {
		this.#parts = parts;
	}

	/** The handle of the event at a seq; undefined: there is none. */
	at(seq: number): string | undefined {
		const row = this.#row(seq);
		return row && this.#handleOf(row);
	}

	/** The events whose handle has these hex digits, oldest first: nearly always one. */
	find(hex: string): number[] {
		const key = Number.parseInt(hex, 16);
		const indexed = this.#tryCatchUp();
		const known = indexed === undefined ? [] : this.#indexed(key);
		return [...known, ...this.#readAfter(indexed ?? 0, key)];
	}

	/** Indexes the missing events, in bounded transactions. */
	catchUp(): void {
		const { transaction, readOnly } = this.#parts;
		if (readOnly) return;
		const newest = one<{ seq: number | null }>(this.#sql("SELECT max(seq) AS seq FROM event"))?.seq ?? 0;
		// Several processes may index at once: each reads the checkpoint again under the write lock.
		while (this.#upTo < newest) {
			this.#upTo = this.#checkpoint() ?? 0;
			if (this.#upTo < newest) transaction(() => this.#indexSome());
		}
	}

	/** Call inside the transaction that removes the events of a (temporary) table, before their rows are deleted. */
	remove(table: string): void {
		if (this.#checkpoint() === undefined) return;
		const { db } = this.#parts;
		const remove = db.prepare("DELETE FROM handle WHERE hash = ? AND seq = ?");
		const rows = db.prepare(`SELECT ${COLUMNS} FROM event WHERE seq IN (SELECT seq FROM ${table})`);
		for (const row of each<HandleRow>(rows)) remove.run(this.#keyOf(row), row.seq);
	}

	/** Call inside the transaction that put an event back at its seq. */
	putBack(seq: number): void {
		if (seq > (this.#checkpoint() ?? 0)) return;
		const row = this.#row(seq);
		if (row) this.#sql("INSERT OR IGNORE INTO handle VALUES (?, ?)").run(this.#keyOf(row), seq);
	}

	/** Call after a rollback: what it read or indexed does not hold. */
	forget(): void {
		this.#read.clear();
		this.#readTo = 0;
		this.#upTo = 0;
	}

	rebuild(): void {
		this.forget();
		this.#parts.transaction(() =>
			this.#parts.db.exec("DROP TABLE IF EXISTS handle; DROP TABLE IF EXISTS handle_state"),
		);
		this.catchUp();
	}

	/** Problems of the index, in sentences. `rebuild` repairs it. */
	check(): string[] {
		const checkpoint = this.#checkpoint();
		if (checkpoint === undefined) return [];
		const { db } = this.#parts;
		const has = db.prepare("SELECT 1 FROM handle WHERE hash = ? AND seq = ?");
		let events = 0;
		for (const row of this.#rows(0, checkpoint)) {
			events++;
			if (!has.get(this.#keyOf(row), row.seq))
				return [`The handle of event ${row.seq} is not indexed. Run 'weft rebuild'.`];
		}
		const rows = one<{ n: number }>(db.prepare("SELECT count(*) AS n FROM handle"));
		return rows?.n === events ? [] : ["The index of handles has rows without an event. Run 'weft rebuild'."];
	}

	#indexed(key: number): number[] {
		const rows = this.#parts.db.prepare(
			"SELECT seq FROM handle JOIN event USING (seq) WHERE handle.hash = ? ORDER BY seq",
		);
		return all<{ seq: number }>(rows, key).map(({ seq }) => seq);
	}

	#readAfter(indexed: number, key: number): readonly number[] {
		for (const row of this.#rows(Math.max(indexed, this.#readTo), Number.MAX_SAFE_INTEGER)) {
			const hash = this.#keyOf(row);
			this.#read.set(hash, [...(this.#read.get(hash) ?? []), row.seq]);
			this.#readTo = row.seq;
		}
		return (this.#read.get(key) ?? []).filter((seq) => seq > indexed);
	}

	/** The newest event that is indexed; undefined: there is no index. */
	#tryCatchUp(): number | undefined {
		try {
			this.catchUp();
		} catch (error) {
			if (!isWriteRefused(error)) throw error;
		}
		return this.#checkpoint();
	}

	#checkpoint(): number | undefined {
		const { db } = this.#parts;
		const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name IN ('handle', 'handle_state')");
		if (one<{ n: number }>(tables)?.n !== 2) return undefined;
		return one<{ seq: number }>(db.prepare("SELECT seq FROM handle_state"))?.seq;
	}

	#indexSome(): void {
		const { db } = this.#parts;
		if (this.#checkpoint() === undefined) db.exec("DROP TABLE IF EXISTS handle; DROP TABLE IF EXISTS handle_state");
		db.exec(`
			CREATE TABLE IF NOT EXISTS handle (
				hash INTEGER NOT NULL,      -- the handle's hex digits, as a number
				seq  INTEGER NOT NULL,
				PRIMARY KEY (hash, seq)
			) STRICT, WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS handle_state (
				id  INTEGER PRIMARY KEY CHECK (id = 1),
				seq INTEGER NOT NULL        -- events up to this one are indexed
			) STRICT;
			INSERT OR IGNORE INTO handle_state VALUES (1, 0);
		`);
		const insert = db.prepare("INSERT OR IGNORE INTO handle VALUES (?, ?)");
		const rows = this.#step(this.#checkpoint() ?? 0, Number.MAX_SAFE_INTEGER);
		for (const row of rows) insert.run(this.#keyOf(row), row.seq);
		const last = rows.at(-1);
		if (last) db.prepare("UPDATE handle_state SET seq = ?").run(last.seq);
	}

	*#rows(after: number, upTo: number): Generator<HandleRow> {
		for (let at = after; ; ) {
			const rows = this.#step(at, upTo);
			yield* rows;
			const last = rows.at(-1);
			if (!last || rows.length < STEP_ROWS) return;
			at = last.seq;
		}
	}

	#step(after: number, upTo: number): HandleRow[] {
		const sql = `SELECT ${COLUMNS} FROM event WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ${STEP_ROWS}`;
		return all<HandleRow>(this.#sql(sql), after, upTo);
	}

	#row(seq: number): HandleRow | undefined {
		return one<HandleRow>(this.#sql(`SELECT ${COLUMNS} FROM event WHERE seq = ?`), seq);
	}

	#sql(sql: string): StatementSync {
		const statement = this.#prepared.get(sql) ?? this.#parts.db.prepare(sql);
		this.#prepared.set(sql, statement);
		return statement;
	}

	#keyOf(row: HandleRow): number {
		return Number.parseInt(this.#handleOf(row).slice(-HANDLE_HEX), 16);
	}

	#handleOf({ id, session, host, type, entry }: HandleRow): string {
		const { words } = this.#parts;
		const names = { session: words.text(session), host: words.text(host), type: words.text(type) };
		return handleOf({ ...names, entry, id: entry === null ? formatUuid(id) : undefined });
	}
}
