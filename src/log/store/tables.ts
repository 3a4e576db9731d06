/** Queries over the tables that folds keep beside the log. A fold that never ran gives no rows. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { EngineError } from "../../base/error/engine-error.ts";
import { all, one } from "../../base/sqlite/rows.ts";
import { refuseClosed } from "../database.ts";

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
