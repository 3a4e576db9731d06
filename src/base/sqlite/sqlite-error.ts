import { closeSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { EngineError } from "../error/engine-error.ts";

/** How long a writer keeps trying while other processes hold the lock. SQLite's own timeout is one try. */
const BUSY_DEADLINE_MS = 60_000;

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;
/** The shared-memory file could not grow. */
const SQLITE_IOERR_SHMSIZE = 4_874;

const pause = new Int32Array(new SharedArrayBuffer(4));

export interface BusyOptions {
	readonly deadlineMs?: number | undefined;
	/** Called once, when the first try has failed, to say why the caller waits. */
	readonly onWait?: (() => void) | undefined;
}

/**
 * Runs `work` again while another process holds the lock, until the deadline. A failed `work` must have changed nothing: its
 * transaction could not begin or was rolled back.
 */
export function retryWhileBusy<T>(path: string, work: () => T, options: BusyOptions = {}): T {
	const end = performance.now() + (options.deadlineMs ?? BUSY_DEADLINE_MS);
	for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 100)) {
		try {
			return work();
		} catch (error) {
			if (!isBusy(error) || performance.now() > end) throw translateSqliteError(error, path);
			if (waitMs === 2) options.onWait?.();
			Atomics.wait(pause, 0, 0, waitMs);
		}
	}
}

/** Turns an error of SQLite or the file system into one that says what to do. Passes an EngineError unchanged. */
export function translateSqliteError(error: unknown, path: string): unknown {
	if (error instanceof EngineError) return error;
	const cause = { cause: error };
	switch (primaryCode(error)) {
		case SQLITE_BUSY:
		case SQLITE_LOCKED:
			return new EngineError(
				"locked",
				`${path} is locked by another process. Nothing was written. Try again; 'weft doctor' names the process that holds it.`,
				cause,
			);
		case SQLITE_FULL:
			return diskFull(path, cause);
		case SQLITE_CORRUPT:
		case SQLITE_NOTADB:
			return new EngineError(
				"damaged",
				`${path} is damaged or no SQLite database. It was left as it is. Copy it away, then run 'weft doctor'; 'weft import' can fill a new log from the agent's own session files.`,
				cause,
			);
		case SQLITE_ERROR: {
			const table = /no such table: (\S+)/.exec(String((error as Error).message))?.[1];
			if (table === undefined) return error;
			return new EngineError(
				"damaged",
				`${path} has no table '${table}': another program changed it, or it is damaged. It was left as it is. Copy it away; 'weft import' fills a new log from the agents' own session files.`,
				cause,
			);
		}
		case SQLITE_IOERR:
		case SQLITE_CANTOPEN: {
			if ((error as { errcode?: unknown }).errcode === SQLITE_IOERR_SHMSIZE) return diskFull(path, cause);
			const reason = probe(path);
			if (reason) return translateFileError(reason, path, cause);
			if (primaryCode(error) === SQLITE_CANTOPEN) return readOnly(path, cause);
			return new EngineError(
				"io-error",
				`The system refused to read or write ${path}. Nothing was written. The disk may be failing, or the file has reached the size that this user may write ('ulimit -f' shows it).`,
				cause,
			);
		}
		case SQLITE_READONLY:
			return readOnly(path, cause);
	}
	return translateFileError(error, path, cause);
}

function diskFull(path: string, cause: { cause: unknown }): EngineError {
	return new EngineError(
		"disk-full",
		`No space left for ${path}. Nothing was written, nothing is lost. Free some space and try again; 'weft prune' then frees more, and needs a few MB itself; 'weft prune --snapshots 0 --yes' needs none.`,
		cause,
	);
}

function readOnly(path: string, cause: { cause: unknown }): EngineError {
	return new EngineError(
		"read-only",
		`${path} cannot be opened for writing. Check the folder's permissions and its free space, or choose another with --home or WEFT_HOME.`,
		cause,
	);
}

/**
 * Asks the file system why SQLite could not use a file; SQLite itself does not say. Never opens the file: closing it again
 * would drop the locks that this process holds on it.
 */
function probe(path: string): unknown {
	try {
		if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { code: "EISDIR" };
		closeSync(openSync(dirname(path), "r"));
		return undefined;
	} catch (error) {
		return (error as { code?: unknown }).code === "ENOENT" ? undefined : error;
	}
}

function translateFileError(error: unknown, path: string, cause: { cause: unknown }): unknown {
	switch ((error as { code?: unknown } | null)?.code) {
		case "EACCES":
		case "EPERM":
		case "EROFS":
		case "ENOTDIR":
		case "EEXIST":
		case "ENOENT":
			return new EngineError(
				"read-only",
				`${path} cannot be created or written. Check the folder's permissions, or choose another with --home or WEFT_HOME.`,
				cause,
			);
		case "EISDIR":
			return new EngineError(
				"read-only",
				`${path} is a folder, and weft keeps a file there. Move it away, or choose another place with --home or WEFT_HOME.`,
				cause,
			);
		case "ELOOP":
			return new EngineError(
				"read-only",
				`${path} cannot be reached: its symbolic links lead in a circle. Correct them, or choose another place with --home or WEFT_HOME.`,
				cause,
			);
		case "EMFILE":
		case "ENFILE":
			return new EngineError(
				"too-many-files",
				`${path} cannot be opened: too many files are open. Nothing was written. Close some programs, or raise the limit ('ulimit -n').`,
				cause,
			);
		case "EFBIG":
			return new EngineError(
				"io-error",
				`${path} has reached the size that this user may write ('ulimit -f' shows it). Nothing was written.`,
				cause,
			);
		case "EIO":
		case "EINVAL":
		case "ENXIO":
		case "ENODEV":
		case "ENAMETOOLONG":
		case "ENOTSUP":
			return new EngineError(
				"io-error",
				`The system cannot keep a file at ${path} (${(error as { code: string }).code}). Choose another place with --home or WEFT_HOME.`,
				cause,
			);
		case "ENOSPC":
		case "EDQUOT":
			return new EngineError(
				"disk-full",
				`No space left for ${path}. Nothing was written. Free some space and try again.`,
				cause,
			);
	}
	return error;
}

export function isBusy(error: unknown): boolean {
	const code = primaryCode(error);
	return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

function primaryCode(error: unknown): number | undefined {
	const code = (error as { errcode?: unknown } | null)?.errcode;
	return typeof code === "number" ? code & 0xff : undefined;
}

/** A full disk, or a file that may not grow. */
export function hasNoRoom(error: unknown): error is EngineError {
	return error instanceof EngineError && (error.code === "disk-full" || error.code === "io-error");
}

const REFUSALS: ReadonlySet<string> = new Set(["disk-full", "io-error", "locked", "read-only", "too-many-files"]);

/** True: the file cannot be written now and can still be read. */
export function isWriteRefused(error: unknown): boolean {
	return error instanceof EngineError && REFUSALS.has(error.code);
}
