import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, constants as sqlite } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { EngineError } from "../error/engine-error.ts";
import { requireRegular } from "../file/regular-file.ts";
import { LARGE_WAL_BYTES } from "./checkpoint.ts";
import { all, one } from "./rows.ts";
import { hasNoRoom, retryWhileBusy, translateSqliteError } from "./sqlite-error.ts";

/** SQLite waits this long on its own; `retryWhileBusy` then calls `onWait` and keeps trying. */
const BUSY_TIMEOUT_MS = 1_000;

export interface OpenDatabaseOptions {
	readonly readOnly?: boolean | undefined;
	/** Marks the file as ours in SQLite's header. A database of another program is refused and never touched. */
	readonly applicationId: number;
	/** Called once, when another process holds the file. */
	readonly onWait?: (() => void) | undefined;
}

/**
 * Opens a database in WAL mode. The busy timeout is set by the constructor, so it holds for the very first statement.
 * The file is created with mode 0600 before SQLite sees it; SQLite gives its WAL and shared memory files the same mode.
 */
export function openDatabase(path: string, options: OpenDatabaseOptions): DatabaseSync {
	if (!options.readOnly) createPrivateFile(path);
	if (!options.readOnly) return openAt(path, path, options);
	if (isFrozen(path)) return openAt(path, frozenUrl(path), options);
	try {
		return openAt(path, path, options);
	} catch (error) {
		// A reader of a WAL needs shared memory, which has no room on a full disk. Without a WAL there is no writer.
		if (!hasNoRoom(error) || hasWal(path)) throw error;
		return openAt(path, frozenUrl(path), options);
	}
}

function openAt(path: string, location: string | URL, options: OpenDatabaseOptions): DatabaseSync {
	let db: DatabaseSync;
	try {
		db = new DatabaseSync(location, { readOnly: options.readOnly ?? false, timeout: BUSY_TIMEOUT_MS });
	} catch (cause) {
		throw translateSqliteError(cause, path);
	}
	try {
		const prepare = () => {
			refuseForeign(db, path, options.applicationId);
			if (options.readOnly) return;
			// Before its first page. In a file that has pages this would take the write lock, at each opening.
			if (isEmpty(db)) db.exec(INCREMENTAL_VACUUM);
			db.exec("PRAGMA journal_mode = WAL");
			// SQLite's own checkpoints only matter where the thread of `checkpoint.ts` cannot run.
			db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = 3000");
			db.exec(`PRAGMA journal_size_limit = ${LARGE_WAL_BYTES}`);
		};
		retryWhileBusy(path, prepare, { onWait: options.onWait });
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}

/** Opens another program's database for reading. Makes no files beside it in a folder that is read-only. */
export function openForeign(path: string): DatabaseSync {
	// SQLite would wait for a pipe.
	for (const beside of ["-wal", "-shm", "-journal"]) requireRegular(`${path}${beside}`);
	const db = new DatabaseSync(isFrozen(path) ? frozenUrl(path) : path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
	try {
		// Before Node 24.10 the tables that a caller found with `storedTables` are all that protects it.
		if ("setAuthorizer" in db) refuseComputed(db);
		return db;
	} catch (error) {
		db.close();
		throw error;
	}
}

/**
 * The tables whose rows are in the file as they are read. Rows of views, virtual tables and generated columns are computed, and
 * a few bytes of a schema can say that there are endlessly many, or gigabytes of one.
 */
export function storedTables(db: DatabaseSync): Set<string> {
	const found = all<{ name: string }>(
		db.prepare(
			`SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND NOT EXISTS
				(SELECT 1 FROM pragma_table_xinfo(sqlite_schema.name) AS of_table WHERE of_table.hidden = ${VIRTUAL_COLUMN})`,
		),
	);
	return new Set(found.map(({ name }) => name));
}

/** The other tables, and the views. */
export function computedTables(db: DatabaseSync): string[] {
	const stored = storedTables(db);
	return all<{ name: string }>(db.prepare("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"))
		.map(({ name }) => name)
		.filter((name) => !stored.has(name));
}

/** Of `pragma_table_xinfo`. */
const VIRTUAL_COLUMN = 2;
/** SQLite's own, and what a query makes of a value that it gives. */
const FUNCTION_TABLES = /^(?:sqlite_|json_|pragma_)/i;

/** Lets statements read stored rows alone. */
function refuseComputed(db: DatabaseSync): void {
	const stored = new Set([...storedTables(db)].map((name) => name.toLowerCase()));
	db.setAuthorizer((action, table) => {
		if (action === sqlite.SQLITE_RECURSIVE) return sqlite.SQLITE_DENY;
		if (action !== sqlite.SQLITE_READ || table === null) return sqlite.SQLITE_OK;
		return stored.has(table.toLowerCase()) || FUNCTION_TABLES.test(table) ? sqlite.SQLITE_OK : sqlite.SQLITE_DENY;
	});
}

export function closeDatabase(db: DatabaseSync, options: { readonly readOnly: boolean }): void {
	if (!options.readOnly) checkpointNow(db);
	db.close();
}

/** Moves the WAL into the database and truncates it, unless another process is reading. Never waits. */
export function checkpointNow(db: DatabaseSync): void {
	try {
		db.exec("PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)");
	} catch {
		// Another process is reading. The last one to close truncates the WAL.
	} finally {
		db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
	}
}

const INCREMENTAL_VACUUM = "PRAGMA auto_vacuum = INCREMENTAL";

/** Writes the whole file again without empty pages. A file of an older weft can give pages back from then on. */
export function vacuumWhole(db: DatabaseSync): void {
	db.exec(`${INCREMENTAL_VACUUM}; VACUUM`);
}

/** Merging indexes leaves pages empty; fewer than this are soon used again. */
const MIN_FREE_PAGES = 16;

/** Gives empty pages at the file's end back to the disk. A file of an older weft has none to give. Not in a transaction. */
export function shrink(db: DatabaseSync): void {
	try {
		const free = one<{ freelist_count: number }>(db.prepare("PRAGMA freelist_count"))?.freelist_count ?? 0;
		if (free >= MIN_FREE_PAGES) db.exec("PRAGMA incremental_vacuum");
	} catch {
		// Another process writes, or the disk is full: the next time will do.
	}
}

/**
 * True: the folder is read-only and has no WAL. Even a reader of a WAL database creates files beside it, so such a file is
 * opened as immutable.
 */
function isFrozen(path: string): boolean {
	if (existsSync(`${path}-wal`)) return false;
	try {
		accessSync(dirname(path), constants.W_OK);
		return false;
	} catch {
		return true;
	}
}

function hasWal(path: string): boolean {
	return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function frozenUrl(path: string): URL {
	const url = pathToFileURL(path);
	url.searchParams.set("immutable", "1");
	return url;
}

/**
 * Never opens an existing file: on Unix, closing any handle of a file drops all locks that this process holds on it, those
 * of another connection too, and another process may then delete the WAL in use.
 */
function createPrivateFile(path: string): void {
	if (existsSync(path)) return;
	try {
		closeSync(openSync(path, "a", 0o600));
	} catch (cause) {
		throw translateSqliteError(cause, path);
	}
}

function isEmpty(db: DatabaseSync): boolean {
	return one<{ page_count: number }>(db.prepare("PRAGMA page_count"))?.page_count === 0;
}

function refuseForeign(db: DatabaseSync, path: string, applicationId: number): void {
	const id = readApplicationId(db);
	if (id === applicationId) return;
	const found = one<{ tables: number }>(db.prepare("SELECT count(*) AS tables FROM sqlite_schema"));
	if (id === 0 && found?.tables === 0) return;
	// Another process may have made the tables since, and marked the file in the same transaction.
	if (readApplicationId(db) === applicationId) return;
	throw new EngineError(
		"foreign-file",
		`${path} is a database of another program. Nothing was changed. Move it away, or choose another folder with --home.`,
	);
}

function readApplicationId(db: DatabaseSync): number | undefined {
	return one<{ application_id: number }>(db.prepare("PRAGMA application_id"))?.application_id;
}
