/** The connection of a log. Only this floor may use it; other floors ask the log. */
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "./log.ts";

const databases = new WeakMap<Log, DatabaseSync>();

export function keepDatabase(log: Log, db: DatabaseSync): void {
	databases.set(log, db);
}

export function databaseOf(log: Log): DatabaseSync {
	const db = databases.get(log);
	if (!db) throw new Error("a log without a database");
	refuseClosed(db);
	return db;
}

export function refuseClosed(db: DatabaseSync): void {
	if (!db.isOpen) throw new EngineError("closed", "The log is closed. Open it again.");
}
