/**
 * Packed rows leave pages of the event table nearly empty. Events only come at the end, so nothing would ever fill them, and a
 * live session would take three times the space of an imported one. SQLite merges half-empty pages when a row is deleted,
 * never when one shrinks. So one row of each page is deleted and inserted again unchanged.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { one } from "../../base/sqlite/rows.ts";

/** Half a page of SQLite: one row is moved for each, so that hardly a page is missed. */
const MOVE_EVERY_BYTES = 2_048;

export class Tightener {
	readonly #take: StatementSync;
	readonly #put: StatementSync;

	constructor(db: DatabaseSync) {
		// Deleting a row that uses a blob would drop the use.
		this.#take = db.prepare(
			`DELETE FROM event WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM blob_use WHERE blob_use.seq = event.seq)
			RETURNING seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash`,
		);
		this.#take.setReturnArrays(true);
		this.#put = db.prepare(
			`INSERT INTO event (seq, id, origin, session, host, ts, type, v, cause, entry, tool, file, size, payload, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		);
	}

	/** Call after rows shrank, each by `size` bytes, in the same transaction. */
	tighten(shrunk: readonly { readonly seq: number; readonly size: number }[]): void {
		let bytes = 0;
		for (const { seq, size } of shrunk) {
			bytes += size;
			if (bytes < MOVE_EVERY_BYTES) continue;
			bytes = 0;
			const row = one<SQLInputValue[]>(this.#take, seq);
			if (row) this.#put.run(...row);
		}
	}
}
