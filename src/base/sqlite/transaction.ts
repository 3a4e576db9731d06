import type { DatabaseSync, StatementSync } from "node:sqlite";
import { EngineError } from "../error/engine-error.ts";
import { type BusyOptions, isBusy, retryWhileBusy, translateSqliteError } from "./sqlite-error.ts";

/**
 * Runs functions inside transactions. The outermost takes the write lock at once (BEGIN IMMEDIATE), so no statement inside
 * can fail for a lock; an inner one is a savepoint. A function that returns a promise is refused and rolled back, because the
 * transaction would end before its work is done.
 */
export class Transactor {
	readonly #db: DatabaseSync;
	readonly #path: string;
	readonly #busy: BusyOptions;
	readonly #begin: StatementSync;
	readonly #commit: StatementSync;
	#depth = 0;

	constructor(db: DatabaseSync, path: string, busy: BusyOptions = {}) {
		this.#db = db;
		this.#path = path;
		this.#busy = busy;
		this.#begin = db.prepare("BEGIN IMMEDIATE");
		this.#commit = db.prepare("COMMIT");
	}

	run<T>(work: () => T): T {
		return this.#depth === 0 ? this.#outer(work) : this.#inner(work);
	}

	#outer<T>(work: () => T): T {
		try {
			this.#begin.run();
		} catch (error) {
			if (isBusy(error)) this.#busy.onWait?.();
			retryWhileBusy(this.#path, () => this.#begin.run(), { ...this.#busy, onWait: undefined });
		}
		this.#depth = 1;
		try {
			const result = refuseAsync(work());
			this.#commit.run();
			return result;
		} catch (error) {
			this.#rollback("ROLLBACK");
			throw translateSqliteError(error, this.#path);
		} finally {
			this.#depth = 0;
		}
	}

	#inner<T>(work: () => T): T {
		const savepoint = `level_${this.#depth++}`;
		this.#db.exec(`SAVEPOINT ${savepoint}`);
		try {
			const result = refuseAsync(work());
			this.#db.exec(`RELEASE ${savepoint}`);
			return result;
		} catch (error) {
			this.#rollback(`ROLLBACK TO ${savepoint}; RELEASE ${savepoint}`);
			throw error;
		} finally {
			this.#depth--;
		}
	}

	/** SQLite may have rolled back on its own already (disk full, I/O error). */
	#rollback(sql: string): void {
		if (this.#db.isTransaction) this.#db.exec(sql);
	}
}

function refuseAsync<T>(result: T): T {
	if (typeof (result as { then?: unknown } | null | undefined)?.then !== "function") return result;
	(result as unknown as Promise<unknown>).then(undefined, () => {});
	throw new EngineError(
		"async-transaction",
		"A transaction takes a synchronous function. Do the waiting first, then write what came of it.",
	);
}
