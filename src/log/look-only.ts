/**
 * Makes a connection refuse to write events and blobs. It still brings derived tables up to date, as every reader does. The
 * triggers are in SQLite's temporary schema, so they affect this connection alone.
 */
import { databaseOf } from "./database.ts";
import type { Log } from "./log.ts";

const TABLES = ["event", "blob", "blob_use", "gap", "arrival"];

export function refuseEvents(log: Log): void {
	if (log.readOnly) return;
	const db = databaseOf(log);
	for (const table of TABLES) {
		for (const verb of ["INSERT", "UPDATE", "DELETE"]) {
			db.exec(`CREATE TEMP TRIGGER IF NOT EXISTS look_only_${table}_${verb} BEFORE ${verb} ON main.${table}
				BEGIN SELECT RAISE(ABORT, 'this connection only looks at the log'); END`);
		}
	}
}
