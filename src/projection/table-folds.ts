/**
 * Runs folds that keep their state in tables, inside the transaction of each append. All writers run the same folds, so
 * no checkpoint moves with every event: a fold is registered with its version, and one that is missing or of another
 * version is built from the whole log when it is opened.
 */
import type { DatabaseSync } from "node:sqlite";
import type { EventRecord } from "../event/types.ts";
import type { Projection, ProjectionHome } from "../log/types.ts";

/** A projection in tables of its own. It may read nothing but the records and its own tables. */
export interface TableFold {
	readonly name: string;
	/** Raise it when the tables or the rule change. */
	readonly version: number;
	/** Names of its tables, each with the columns that put its rows in a fixed order. */
	readonly tables: Readonly<Record<string, string>>;
	create(db: DatabaseSync): void;
	/** Prepares its statements once; what it returns gets each batch of new records, in order. */
	prepare(db: DatabaseSync): (records: readonly EventRecord[]) => void;
}

const REBUILD_BATCH = 500;

export class TableFolds implements Projection {
	readonly #folds: readonly TableFold[];
	#home: ProjectionHome | undefined;
	#apply: ((records: readonly EventRecord[]) => void)[] = [];

	constructor(folds: readonly TableFold[]) {
		this.#folds = folds;
	}

	attach(home: ProjectionHome): void {
		this.#home = home;
		if (!this.#upToDate(home.db)) {
			home.transaction(() => {
				if (!this.#upToDate(home.db)) this.#build(home);
			});
		}
		this.#apply = this.#folds.map((fold) => fold.prepare(home.db));
	}

	apply(records: readonly EventRecord[]): void {
		for (const apply of this.#apply) apply(records);
	}

	rebuild(): void {
		const home = this.#home;
		if (!home) return;
		home.transaction(() => this.#build(home));
		this.#apply = this.#folds.map((fold) => fold.prepare(home.db));
	}

	*dump(): Generator<string> {
		const db = this.#home?.db;
		if (!db) return;
		for (const fold of this.#folds) {
			for (const [table, order] of Object.entries(fold.tables)) {
				for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()) {
					yield `${table} ${JSON.stringify(row)}`;
				}
			}
		}
	}

	#upToDate(db: DatabaseSync): boolean {
		db.exec("CREATE TABLE IF NOT EXISTS fold (name TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT, WITHOUT ROWID");
		const registered = new Map(
			(db.prepare("SELECT name, version FROM fold").all() as { name: string; version: number }[]).map((row) => [
				row.name,
				row.version,
			]),
		);
		return this.#folds.every((fold) => registered.get(fold.name) === fold.version);
	}

	#build(home: ProjectionHome): void {
		const { db } = home;
		for (const fold of this.#folds) {
			for (const table of Object.keys(fold.tables)) db.exec(`DROP TABLE IF EXISTS ${table}`);
			fold.create(db);
			db.prepare("INSERT INTO fold VALUES (?, ?) ON CONFLICT DO UPDATE SET version = excluded.version").run(
				fold.name,
				fold.version,
			);
		}
		const apply = this.#folds.map((fold) => fold.prepare(db));
		let batch: EventRecord[] = [];
		const flush = () => {
			for (const each of apply) each(batch);
			batch = [];
		};
		for (const record of home.read()) {
			batch.push(record);
			if (batch.length >= REBUILD_BATCH) flush();
		}
		flush();
	}
}
