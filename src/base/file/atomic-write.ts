/** Writes a file so that it has either its new text or its old one, whenever the process ends. */
import {
	accessSync,
	closeSync,
	constants,
	existsSync,
	fsyncSync,
	ftruncateSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { EngineError } from "../error/engine-error.ts";

/**
 * Temporary file, fsync, rename, fsync of the folder. One writer at a time: the temporary file has a fixed name. A write that
 * fails leaves the file as it was, and no temporary file. A file with other hard links is written in place, so that they keep
 * its text.
 */
export function writeAtomically(path: string, text: string, mode = 0o600): void {
	const fresh = `${path}.new`;
	rmSync(fresh, { force: true });
	try {
		const file = openSync(fresh, "wx", mode);
		try {
			writeFileSync(file, text);
			fsyncSync(file);
		} finally {
			closeSync(file);
		}
		if ((statSync(path, { throwIfNoEntry: false })?.nlink ?? 1) > 1) {
			writeInPlace(path, Buffer.from(text));
			rmSync(fresh);
		} else renameSync(fresh, path);
	} catch (error) {
		removeQuietly(fresh);
		throw error;
	}
	syncFolder(dirname(path));
}

/** The bytes before are put back if not all of the new ones can be written. */
function writeInPlace(path: string, bytes: Buffer): void {
	const before = readFileSync(path);
	const file = openSync(path, "r+");
	const put = (all: Buffer) => {
		for (let at = 0; at < all.length; ) at += writeSync(file, all, at, all.length - at, at);
		ftruncateSync(file, all.length);
		fsyncSync(file);
	};
	try {
		put(bytes);
	} catch (error) {
		put(before);
		throw error;
	} finally {
		closeSync(file);
	}
}

function removeQuietly(path: string): void {
	try {
		rmSync(path, { force: true });
	} catch {
		// The error that brought us here says more.
	}
}

/** So that the rename survives a power cut. Not every system allows it. */
function syncFolder(path: string): void {
	try {
		const folder = openSync(path, "r");
		try {
			fsyncSync(folder);
		} finally {
			closeSync(folder);
		}
	} catch {
		// The text is on disk; after a power cut only the rename may be missing.
	}
}

/**
 * Turns a failed write into an error whose message says what to do. No message advises removing a file: after
 * `writeAtomically` it is the user's, as it was.
 */
export function writeError(cause: unknown, path: string): EngineError {
	const { code = "", message = String(cause) } = (cause ?? {}) as { readonly code?: string; readonly message?: string };
	switch (code) {
		case "ENOSPC":
		case "EDQUOT":
			return new EngineError(
				"disk-full",
				`No space left for ${path}. It was not written. Free some space and try again.`,
				{ cause },
			);
		case "EFBIG":
			return new EngineError(
				"disk-full",
				`${path} would be larger than files may be here, and was not written. Choose another disk, or raise the limit (ulimit -f).`,
				{ cause },
			);
		case "ENOENT": {
			const hindrance = folderHindrance(path);
			return hindrance === undefined ? noFolder(path, { cause }) : writeError(hindrance, path);
		}
		case "ENOTDIR":
			return noFolder(path, { cause });
		case "EACCES":
		case "EPERM":
		case "EROFS":
			return new EngineError(
				"read-only",
				`${path} cannot be written (${code}). Check the permissions of ${dirname(path)}, or choose another folder.`,
				{ cause },
			);
		default:
			return new EngineError("read-only", `${path} could not be written: ${message}.`, { cause });
	}
}

/** Refuses a file that exists or whose folder is missing, before work that ends with writing it. */
export function requireNewFile(path: string): void {
	if (existsSync(path))
		throw new EngineError("refused", `${path} already exists. Choose another file, or move this one.`);
	if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) throw noFolder(path);
}

/** Why no folder can be made for a file: Node's recursive mkdir says ENOENT of a file system that can only be read. */
function folderHindrance(path: string): unknown {
	let folder = dirname(path);
	while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
	try {
		accessSync(folder, constants.W_OK);
	} catch (error) {
		return error;
	}
	return undefined;
}

function noFolder(path: string, options?: { readonly cause: unknown }): EngineError {
	return new EngineError(
		"usage",
		`${path}: there is no folder ${dirname(path)}. Create it, or choose another.`,
		options,
	);
}
