/**
 * Rows that were packed leave pages of the event table nearly empty, and as events only come at the end, nothing would
 * ever fill them: a live session would take three times the room of an imported one. SQLite joins half-empty neighbours
 * when a row is deleted, never when one shrinks. So one row of each page is taken out and put back as it was.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { one } from "../../base/sqlite/rows.ts";

/** Half of SQLite's page: a row is moved for each of these, so that hardly a page is passed over. */
const MOVE_EVERY_BYTES = 2_048;

export class Tightener {
	readonly #take: StatementSync;
	readonly #put: StatementSync;

	constructor(db: DatabaseSync) {
		// A row that a blob is kept for stays where it is: taking it out would let go of the blob.
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

	/** After rows shrank, each by `size` bytes; in the transaction that shrank them. */
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
