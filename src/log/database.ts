/** The connection of a log, for this room alone: whoever is outside asks the log by name. */
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "./log.ts";

const databases = new WeakMap<Log, DatabaseSync>();

export function keepDatabase(log: Log, db: DatabaseSync): void {
	databases.set(log, db);
}

export function databaseOf(log: Log): DatabaseSync {
	const db = databases.get(log)!;
	refuseClosed(db);
	return db;
}

export function refuseClosed(db: DatabaseSync): void {
	if (!db.isOpen) throw new EngineError("closed", "The log is closed. Open it again to go on.");
}
