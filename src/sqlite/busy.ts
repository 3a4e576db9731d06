import { EngineError } from "../error/engine-error.ts";

/** How long a writer keeps trying while others hold the lock; SQLite's own timeout is one try. */
export const BUSY_DEADLINE_MS = 60_000;

const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_NOTADB = 26;

const pause = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `work`, and again while another process holds the lock, until the deadline. `work` must have changed nothing
 * when it fails: a transaction that could not begin, or one that was rolled back.
 */
export function retryWhileBusy<T>(path: string, work: () => T, deadlineMs = BUSY_DEADLINE_MS): T {
	const end = performance.now() + deadlineMs;
	for (let waitMs = 2; ; waitMs = Math.min(waitMs * 2, 100)) {
		try {
			return work();
		} catch (error) {
			if (!isBusy(error) || performance.now() > end) throw translateSqliteError(error, path);
			Atomics.wait(pause, 0, 0, waitMs);
		}
	}
}

/** Turns what SQLite or the file system said into an error that says what to do. Errors of ours pass unchanged. */
export function translateSqliteError(error: unknown, path: string): unknown {
	if (error instanceof EngineError) return error;
	const cause = { cause: error };
	switch (primaryCode(error)) {
		case SQLITE_BUSY:
		case SQLITE_LOCKED:
			return new EngineError(
				"locked",
				`${path} is locked by another process. Nothing was written. Try again, or see 'weft doctor' for who holds it.`,
				cause,
			);
		case SQLITE_FULL:
			return new EngineError(
				"disk-full",
				`No space left for ${path}. Nothing was written, nothing is lost. Free some space ('weft prune' may help) and try again.`,
				cause,
			);
		case SQLITE_CORRUPT:
		case SQLITE_NOTADB:
			return new EngineError(
				"damaged",
				`${path} is damaged or no SQLite database. It was left as it is. Copy it away, then run 'weft doctor'; 'weft import' can fill a new log from the agent's own session files.`,
				cause,
			);
		case SQLITE_READONLY:
		case SQLITE_CANTOPEN:
		case SQLITE_IOERR:
			return new EngineError(
				"read-only",
				`${path} cannot be opened for writing. Check the folder's permissions, or choose another with --home or WEFT_HOME.`,
				cause,
			);
	}
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
