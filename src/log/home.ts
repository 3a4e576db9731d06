/** Where the data is: one folder per project under the data home. */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, linkSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, posix, resolve, win32 } from "node:path";
import { readBounded } from "../base/file/regular-file.ts";
import { translateSqliteError } from "../base/sqlite/sqlite-error.ts";

const MAX_ORIGIN_BYTES = 1_000;

/** `$XDG_DATA_HOME/weft`, or the folder that the user chose. */
export function dataHome(chosen: string | undefined, env: NodeJS.ProcessEnv): string {
	if (chosen) return resolve(expandTilde(chosen));
	const xdg = env["XDG_DATA_HOME"];
	return join(xdg?.startsWith("/") ? xdg : join(homedir(), ".local", "share"), "weft");
}

/** The project of a folder: its git repository, or else the folder itself, by real path. A path of another system stays as it is. */
export function projectRoot(cwd: string): string {
	if (isForeignPath(cwd)) return cwd;
	const start = realPath(cwd);
	for (let at = start; ; at = dirname(at)) {
		if (existsSync(join(at, ".git"))) return at;
		if (at === dirname(at)) return start;
	}
}

/** True: absolute on Windows or POSIX, but not here. A session that was recorded elsewhere names such a folder. */
export function isForeignPath(path: string): boolean {
	return !isAbsolute(path) && (win32.isAbsolute(path) || posix.isAbsolute(path));
}

/** The name of a project's folder: the first 16 hex digits of its path's SHA-256. */
export function projectKey(root: string): string {
	return createHash("sha256").update(root).digest("hex").slice(0, 16);
}

/** Creates a folder and its parents for their owner alone. An existing folder stays as it is: it may not be ours. */
export function makePrivateFolder(path: string): void {
	try {
		makeFolders(path);
	} catch (cause) {
		throw translateSqliteError(cause, path);
	}
}

/** One by one: Node's recursive mkdir never ends under /proc. */
function makeFolders(path: string): void {
	const isThere = () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
	if (isThere()) return;
	if (dirname(path) !== path) makeFolders(dirname(path));
	try {
		mkdirSync(path, { mode: 0o700 });
	} catch (error) {
		// Another process may have created it just now.
		if ((error as { code?: string }).code !== "EEXIST" || !isThere()) throw error;
	}
}

/** The id of this installation, created once per data home. */
export function originId(home: string): string {
	const path = join(home, "origin");
	const known = readOrigin(path);
	if (known) return known;
	makePrivateFolder(home);
	const mine = `${path}.${process.pid}`;
	try {
		writeFileSync(mine, `${randomUUID()}\n`, { mode: 0o600 });
		linkSync(mine, path);
	} catch (cause) {
		// Another process was first: its id counts. A link appears with its content or not at all.
		if ((cause as { code?: string }).code !== "EEXIST") throw translateSqliteError(cause, path);
	} finally {
		rmSync(mine, { force: true });
	}
	return readOrigin(path) ?? "unknown";
}

function readOrigin(path: string): string | undefined {
	const reading = readBounded(path, MAX_ORIGIN_BYTES);
	return reading.kind === "bytes" ? reading.bytes.toString("utf8").trim() || undefined : undefined;
}

function realPath(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return resolve(path);
	}
}

function expandTilde(path: string): string {
	return path === "~" || path.startsWith("~/") ? join(homedir(), path.slice(1)) : path;
}
