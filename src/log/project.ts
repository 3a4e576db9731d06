import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openForeign } from "../base/sqlite/open.ts";
import { one } from "../base/sqlite/rows.ts";
import { databaseOf } from "./database.ts";
import { originId, projectKey } from "./home.ts";
import { Log, type LogOptions } from "./log.ts";

const PROJECT_PATH = "project";
const READ_ONLY = "read-only";

/** The roots of all projects that have a log, the one written last first. */
export function projectRoots(home: string): string[] {
	return logFolders(home).flatMap((folder) => rootIn(join(folder, "log.db")) ?? []);
}

/** Where logs lie, the one written last first. None of them is opened. */
export function logFolders(home: string): string[] {
	const projects = join(home, "projects");
	return namesIn(projects)
		.map((name) => {
			const folder = join(projects, name);
			return { folder, written: statSync(join(folder, "log.db"), { throwIfNoEntry: false })?.mtimeMs };
		})
		.filter(({ written }) => written !== undefined)
		.sort((one, other) => other.written! - one.written!)
		.map(({ folder }) => folder);
}

/** A log in its folder, only to be read; undefined: it does not say whose it is. */
export function lookInto(folder: string, options: Pick<LogOptions, "searchable">): LookedInto | undefined {
	const log = new Log({ ...options, folder, origin: READ_ONLY, readOnly: true });
	// All questions in one transaction, on one state of the log: SQLite locks the file once, not for each of them.
	databaseOf(log).exec("BEGIN");
	const root = log.meta(PROJECT_PATH);
	if (root !== undefined) return { log, root };
	log.close();
	return undefined;
}

export interface LookedInto {
	readonly log: Log;
	readonly root: string;
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder).sort();
	} catch {
		return [];
	}
}

/** One row is asked for: the log itself need not be opened. */
function rootIn(path: string): string | undefined {
	if (!existsSync(path)) return undefined;
	try {
		const db = openForeign(path);
		try {
			return one<{ value: string }>(db.prepare("SELECT value FROM meta WHERE key = ?"), PROJECT_PATH)?.value;
		} finally {
			db.close();
		}
	} catch {
		return undefined;
	}
}

export interface ProjectLogOptions extends Omit<LogOptions, "folder" | "origin"> {
	readonly home: string;
	/** The project's root, a real path. */
	readonly root: string;
	readonly warn?: ((message: string) => void) | undefined;
}

/**
 * Opens the log of a project. The path is kept inside the log and checked: where a folder turns out to be another
 * project's (copied by hand, or two paths with one key), it is left alone and a fresh one beside it is used.
 */
export function openProjectLog(options: ProjectLogOptions): Log {
	const { home, root, warn, ...rest } = options;
	const origin = options.readOnly ? READ_ONLY : originId(home);
	const key = projectKey(root);
	for (let n = 1; ; n++) {
		const folder = join(home, "projects", n === 1 ? key : `${key}-${n}`);
		if (rest.readOnly && n > 1 && !existsSync(folder)) return new Log({ ...rest, folder, origin });
		const log = new Log({ ...rest, folder, origin });
		const path = log.meta(PROJECT_PATH);
		if (path === root) return log;
		if (path === undefined && !rest.readOnly) {
			log.setMeta(PROJECT_PATH, root);
			return log;
		}
		if (path === undefined) return log;
		log.close();
		warn?.(`${folder} holds the log of ${path}, not of ${root}. It was left as it is; another folder is used.`);
	}
}

/** Whose log a data folder holds; undefined: it says nothing. It is not opened for more than that. */
export function readProjectPath(folder: string): string | undefined {
	const path = join(folder, "log.db");
	if (!existsSync(path)) return undefined;
	try {
		const db = new DatabaseSync(path, { readOnly: true, timeout: 1_000 });
		try {
			const row = db.prepare("SELECT value FROM meta WHERE key = ?").get(PROJECT_PATH);
			return typeof row?.["value"] === "string" ? row["value"] : undefined;
		} finally {
			db.close();
		}
	} catch {
		// Damaged, or not a log at all.
		return undefined;
	}
}
