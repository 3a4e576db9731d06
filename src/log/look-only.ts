/**
 * For who only looks: from now on this connection refuses to write an event or a blob. What is derived from them may still
 * be brought up to date, as any reader does. Triggers of SQLite's temporary schema hold for one connection alone.
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
