/**
 * Runs folds that keep their state in tables. An inline fold is part of every append's transaction, for state that must never
 * lag. A deferred one has a checkpoint and catches up before it is read, so that an append does not pay for it. A fold that is
 * missing or of another version is built from the whole log.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { all, one, only } from "../../base/sqlite/rows.ts";
import { isReadable } from "../event/check.ts";
import type { EventRecord } from "../event/types.ts";
import type { Projection, ProjectionHome, ProjectionPart } from "../types.ts";

/** A projection in tables of its own. It may read only the records and its own tables. */
export interface TableFold {
	readonly name: string;
	/** Raise it when the tables or the rule change. */
	readonly version: number;
	readonly inline: boolean;
	/** It reads prunable events, so each prune rebuilds it from the whole log. */
	readonly readsPrunable?: boolean | undefined;
	/** It describes this machine's own work: events fetched from elsewhere do not count. */
	readonly isOfOwnWork?: boolean | undefined;
	/** Its tables, each with the columns that sort its rows. */
	readonly tables: Readonly<Record<string, string>>;
	create(db: DatabaseSync): void;
	/** Prepares its statements once. The returned function gets each batch of new records, in order. */
	prepare(db: DatabaseSync): (records: readonly EventRecord[]) => void;
}

const BATCH_EVENTS = 500;

export class TableFolds implements Projection {
	readonly #folds: readonly TableFold[];
	#home: ProjectionHome | undefined;
	/** Kept, so that its statements are prepared once: a live session catches up several times per request. */
	#deferred: FoldCatchUp | undefined;
	#inline: ((records: readonly EventRecord[]) => void)[] = [];

	constructor(folds: readonly TableFold[]) {
		this.#folds = folds;
	}

	attach(home: ProjectionHome): void {
		this.#home = home;
		if (!this.#registered(home.db)) home.transaction(() => this.#create(home, () => false));
		this.#prepareInline(home.db);
	}

	apply(records: readonly EventRecord[]): void {
		const readable = records.filter(isReadable);
		for (const apply of this.#inline) apply(readable);
	}

	catchUp(): void {
		const home = this.#home;
		if (!home) return;
		this.#deferred ??= new FoldCatchUp(
			home,
			this.#folds.filter((fold) => !fold.inline),
		);
		this.#deferred.catchUp();
	}

	rebuild(): void {
		this.#again(() => true);
	}

	pruned(): void {
		this.#again((fold) => fold.readsPrunable === true);
	}

	#again(concerned: (fold: TableFold) => boolean): void {
		const home = this.#home;
		if (!home || !this.#folds.some(concerned)) return;
		home.transaction(() => this.#create(home, concerned));
		this.#prepareInline(home.db);
		this.catchUp();
	}

	*dump(): Generator<string> {
		for (const part of this.parts()) yield* part.rows();
	}

	*parts(): Generator<ProjectionPart> {
		const home = this.#home;
		if (!home) return;
		const { db } = home;
		for (const fold of this.#folds) {
			const { seq } = only<{ seq: number }>(db.prepare("SELECT seq FROM fold WHERE name = ?"), fold.name);
			yield { name: fold.name, upTo: fold.inline ? home.newestSeq() : seq, rows: () => rowsOf(db, fold) };
		}
	}

	#registered(db: DatabaseSync): boolean {
		if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'fold'").get()) return false;
		return this.#folds.every((fold) => isMade(db, fold));
	}

	/** Creates folds that are missing or of another version, and those for which `again` is true. */
	#create(home: ProjectionHome, again: (fold: TableFold) => boolean): void {
		const { db } = home;
		this.#deferred = undefined;
		db.exec(`CREATE TABLE IF NOT EXISTS fold (
			name TEXT PRIMARY KEY, version INTEGER NOT NULL,
			seq INTEGER NOT NULL  -- for a deferred one: the newest event that it has seen
		) STRICT, WITHOUT ROWID`);
		for (const fold of this.#folds) {
			if (!again(fold) && isMade(db, fold)) continue;
			for (const table of Object.keys(fold.tables)) db.exec(`DROP TABLE IF EXISTS ${table}`);
			fold.create(db);
			db.prepare("INSERT INTO fold VALUES (?, ?, 0) ON CONFLICT DO UPDATE SET version = excluded.version, seq = 0").run(
				fold.name,
				fold.version,
			);
			if (fold.inline) new FoldCatchUp(home, [fold]).catchUp();
		}
	}

	#prepareInline(db: DatabaseSync): void {
		this.#inline = this.#folds.filter((fold) => fold.inline).map((fold) => fold.prepare(db));
	}
}

function* rowsOf(db: DatabaseSync, fold: TableFold): Generator<string> {
	for (const [table, order] of Object.entries(fold.tables)) {
		for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()) {
			yield `${table} ${JSON.stringify(row)}`;
		}
	}
}

/** True: the fold has our version and its tables exist. */
function isMade(db: DatabaseSync, fold: TableFold): boolean {
	const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
	return versionOf(db, fold) === fold.version && Object.keys(fold.tables).every((table) => has.get(table));
}

function versionOf(db: DatabaseSync, fold: TableFold): number | undefined {
	return one<{ version: number }>(db.prepare("SELECT version FROM fold WHERE name = ?"), fold.name)?.version;
}

/**
 * Folds missing events in bounded steps, each in a transaction that reads the checkpoints again, because another process may
 * do the same. Events are read once for all folds.
 */
class FoldCatchUp {
	readonly #home: ProjectionHome;
	readonly #folds: readonly TableFold[];
	readonly #checkpoints: StatementSync;
	readonly #move: StatementSync;
	readonly #writers = new Map<TableFold, (records: readonly EventRecord[]) => void>();
	/** All folds included this event at the last look. A step looks again. */
	#upTo: number | undefined;

	constructor(home: ProjectionHome, folds: readonly TableFold[]) {
		this.#home = home;
		this.#folds = folds;
		const names = folds.map(({ name }) => `'${name}'`).join(", ");
		this.#checkpoints = home.db.prepare(`SELECT name, seq FROM fold WHERE name IN (${names})`);
		this.#move = home.db.prepare(`UPDATE fold SET seq = ?1 WHERE seq < ?1 AND name IN (${names})`);
	}

	catchUp(): void {
		const newest = this.#home.newestSeq();
		const known = this.#upTo !== undefined && this.#upTo <= newest ? this.#upTo : undefined;
		let seq = Math.min(newest, known ?? Math.min(...this.#places().values()));
		while (seq < newest) seq = this.#home.transaction(() => this.#step());
		// Inside a transaction the steps may still be rolled back.
		this.#upTo = this.#home.db.isTransaction ? undefined : seq;
	}

	/** Returns the event that all folds include now. */
	#step(): number {
		const places = this.#places();
		const after = Math.min(...places.values());
		const records = [...this.#home.read({ after, limit: BATCH_EVENTS, everything: true })];
		// Without records there are no more events up to the newest.
		const last = records.at(-1)?.seq ?? this.#home.newestSeq();
		const readable = records.filter(isReadable);
		const isFetched = this.#home.fetched?.() ?? (() => false);
		for (const fold of this.#folds) {
			const seq = places.get(fold.name) ?? 0;
			if (seq >= last) continue;
			const wanted = fold.isOfOwnWork ? readable.filter((record) => !isFetched(record)) : readable;
			this.#writerOf(fold)(seq === after ? wanted : wanted.filter((record) => record.seq > seq));
		}
		this.#move.run(last);
		return last;
	}

	#places(): Map<string, number> {
		const rows = all<{ name: string; seq: number }>(this.#checkpoints);
		return new Map(rows.map(({ name, seq }) => [name, seq]));
	}

	#writerOf(fold: TableFold): (records: readonly EventRecord[]) => void {
		const known = this.#writers.get(fold);
		if (known) return known;
		const made = fold.prepare(this.#home.db);
		this.#writers.set(fold, made);
		return made;
	}
}
