/** Is everything in order, and if not, what is to be done? Looks at files and the database; changes nothing. */
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { EngineError } from "../error/engine-error.ts";
import { APPLICATION_ID, MIGRATIONS } from "../log/schema.ts";
import { refuseNewer, schemaVersion } from "../sqlite/migrate.ts";
import { openDatabase } from "../sqlite/open.ts";
import { all } from "../sqlite/rows.ts";
import { formatBytes } from "../text/bytes.ts";
import { processesWith } from "./open-by.ts";

export interface Check {
	readonly name: string;
	readonly level: "ok" | "warn" | "fail";
	readonly says: string;
	/** For what is not ok. */
	readonly todo?: string;
}

const WAL_WARN_BYTES = 64_000_000;
const FREE_WARN_BYTES = 1_000_000_000;
const FREE_FAIL_BYTES = 50_000_000;

/** The data home and the log of one project; `logPath` need not exist. */
export function checkData(home: string, logPath: string): Check[] {
	const folder = dirname(logPath);
	const checks = [folderCheck("data home", home), diskCheck(home)];
	if (!statSync(logPath, { throwIfNoEntry: false })) {
		return [...checks, { name: "log", level: "ok", says: "none for this project yet" }];
	}
	return [...checks, folderCheck("log folder", folder), ...fileChecks(logPath), ...databaseChecks(logPath)];
}

function folderCheck(name: string, path: string): Check {
	const stats = statSync(path, { throwIfNoEntry: false });
	if (!stats) return { name, level: "ok", says: `${path} (not made yet)` };
	if (!stats.isDirectory())
		return { name, level: "fail", says: `${path} is no folder`, todo: "choose another with --home" };
	return privacy(name, path, stats.mode, "700");
}

function fileChecks(logPath: string): Check[] {
	const { mode, size } = statSync(logPath);
	const wal = statSync(`${logPath}-wal`, { throwIfNoEntry: false })?.size ?? 0;
	const users = processesWith(logPath);
	return [
		privacy("log file", `${logPath}, ${formatBytes(size)}`, mode, "600", logPath),
		wal > WAL_WARN_BYTES
			? {
					name: "wal",
					level: "warn",
					says: formatBytes(wal),
					todo: "a reader holds it back; close old agents, then run 'weft log --limit 1'",
				}
			: { name: "wal", level: "ok", says: formatBytes(wal) },
		{
			name: "open in",
			level: "ok",
			says: users === undefined ? "cannot be told here" : users.join(", ") || "no other process",
		},
	];
}

function privacy(name: string, says: string, mode: number, wanted: string, path = says): Check {
	if (process.platform === "win32" || (mode & 0o077) === 0) return { name, level: "ok", says };
	const actual = (mode & 0o777).toString(8);
	return { name, level: "warn", says: `${says} is open to others (${actual})`, todo: `chmod ${wanted} ${path}` };
}

function databaseChecks(logPath: string): Check[] {
	let db: DatabaseSync;
	try {
		db = openDatabase(logPath, { readOnly: true, applicationId: APPLICATION_ID });
	} catch (error) {
		return [{ name: "log", level: "fail", ...told(error) }];
	}
	try {
		refuseNewer(db, logPath, MIGRATIONS);
		return [
			{ name: "schema", level: "ok", says: `version ${schemaVersion(db)}` },
			integrityCheck(db),
			lockCheck(logPath),
		];
	} catch (error) {
		return [{ name: "log", level: "fail", ...told(error) }];
	} finally {
		db.close();
	}
}

function integrityCheck(db: DatabaseSync): Check {
	const [first] = all<{ quick_check: string }>(db.prepare("PRAGMA quick_check(1)"));
	if (first?.quick_check === "ok")
		return { name: "integrity", level: "ok", says: "quick check passed ('weft verify' walks the whole chain)" };
	const todo = "copy the folder away; 'weft import' can fill a new log from the agents' own session files";
	return { name: "integrity", level: "fail", says: first?.quick_check ?? "no answer", todo };
}

/** Takes the write lock for a moment, without waiting for it. */
function lockCheck(logPath: string): Check {
	let db: DatabaseSync | undefined;
	try {
		db = openDatabase(logPath, { applicationId: APPLICATION_ID });
		db.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; ROLLBACK");
		return { name: "lock", level: "ok", says: "free" };
	} catch (error) {
		const busy = ((error as { errcode?: number }).errcode ?? 0) === 5;
		if (!busy) return { name: "lock", level: "warn", ...told(error) };
		const holders = processesWith(logPath)?.join(", ") || "another process";
		return {
			name: "lock",
			level: "warn",
			says: `held now; open in ${holders}`,
			todo: "normal for a moment; if it stays, end that process",
		};
	} finally {
		db?.close();
	}
}

function diskCheck(home: string): Check {
	const free = freeBytes(home);
	if (free === undefined) return { name: "disk", level: "warn", says: "free space cannot be told" };
	const says = `${formatBytes(free)} free`;
	if (free < FREE_FAIL_BYTES)
		return { name: "disk", level: "fail", says, todo: "free some space, or move the data with --home" };
	if (free < FREE_WARN_BYTES)
		return { name: "disk", level: "warn", says, todo: "'weft prune --vacuum --yes' may help" };
	return { name: "disk", level: "ok", says };
}

function freeBytes(path: string): number | undefined {
	try {
		const { bavail, bsize } = statfsSync(path);
		return bavail * bsize;
	} catch {
		return dirname(path) === path ? undefined : freeBytes(dirname(path));
	}
}

function told(error: unknown): { says: string; todo: string } {
	const message = error instanceof Error ? error.message : String(error);
	const [says = message, ...rest] = error instanceof EngineError ? message.split(/(?<=\.)\s+/) : [message];
	return { says, todo: rest.join(" ") || "see the message" };
}
