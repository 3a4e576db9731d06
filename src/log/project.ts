import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { openForeign } from "../base/sqlite/open.ts";
import { one } from "../base/sqlite/rows.ts";
import { translateSqliteError } from "../base/sqlite/sqlite-error.ts";
import { databaseOf } from "./database.ts";
import { originId, projectKey } from "./home.ts";
import { Log } from "./log.ts";
import { walNotice } from "./repair/loss-notice.ts";
import type { LogOptions } from "./types.ts";

const PROJECT_PATH = "project";
const READ_ONLY = "read-only";

/** The folders of all logs, the last written first. Opens none of them. */
export function logFolders(home: string): string[] {
	const projects = join(home, "projects");
	return namesIn(projects)
		.flatMap((name) => {
			const folder = join(projects, name);
			const stat = statSync(join(folder, "log.db"), { throwIfNoEntry: false });
			return stat ? [{ folder, written: stat.mtimeMs }] : [];
		})
		.sort((one, other) => other.written - one.written)
		.map(({ folder }) => folder);
}

/** Opens the log of a folder for reading; undefined: it does not name its project. */
export function lookInto(folder: string, options: Pick<LogOptions, "searchable">): LookedInto | undefined {
	const log = new Log({ ...options, folder, origin: READ_ONLY, readOnly: true });
	try {
		// One transaction for all queries: they see one state of the log, and SQLite locks the file once.
		databaseOf(log).exec("BEGIN");
		const root = log.meta(PROJECT_PATH);
		if (root !== undefined) return { log, root };
	} catch (error) {
		log.close();
		throw translateSqliteError(error, log.path);
	}
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
	} catch (error) {
		if (isAbsent(error)) return [];
		throw translateSqliteError(error, folder);
	}
}

export interface ProjectLogOptions extends Omit<LogOptions, "folder" | "origin"> {
	readonly home: string;
	/** The project's root, a real path. */
	readonly root: string;
	readonly warn?: ((message: string) => void) | undefined;
}

/**
 * Opens the log of a project. The log holds the project's path: a folder of another project (copied by hand, or two paths
 * with one key) is left alone, and a new folder beside it is used.
 */
export function openProjectLog(options: ProjectLogOptions): Log {
	const { home, root, warn, ...rest } = options;
	const origin = options.readOnly ? READ_ONLY : originId(home);
	const key = projectKey(root);
	for (let n = 1; ; n++) {
		const folder = join(home, "projects", n === 1 ? key : `${key}-${n}`);
		if (rest.readOnly && n > 1 && !existsSync(folder)) return new Log({ ...rest, folder, origin });
		const log = new Log({ ...rest, folder, origin });
		if (log.walDamage) warn?.(walNotice(log.walDamage));
		const path = log.meta(PROJECT_PATH);
		if (path === root) return log;
		if (path === undefined && !rest.readOnly) {
			log.setMeta(PROJECT_PATH, root);
			return log;
		}
		if (path === undefined) return log;
		log.close();
		warn?.(`${folder} holds the log of ${path}, not of ${root}. It was left as it is, and weft uses another folder.`);
	}
}

/**
 * The project whose log a data folder holds; undefined: it names none. Reads one row and does not open the log itself, unless
 * that fails: on a full disk a log can still be read. Throws what is wrong with it.
 */
export function readProjectPath(folder: string): string | undefined {
	const path = join(folder, "log.db");
	if (!existsSync(path)) return undefined;
	try {
		const db = openForeign(path);
		try {
			return one<{ value: string }>(db.prepare("SELECT value FROM meta WHERE key = ?"), PROJECT_PATH)?.value;
		} finally {
			db.close();
		}
	} catch {
		const looked = lookInto(folder, {});
		looked?.log.close();
		return looked?.root;
	}
}

function isAbsent(error: unknown): boolean {
	const { code } = error as NodeJS.ErrnoException;
	return code === "ENOENT" || code === "ENOTDIR";
}
