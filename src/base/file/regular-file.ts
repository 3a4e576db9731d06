/**
 * Reads paths that may be anything. It checks kind and size first, on the descriptor that it then reads: it never waits
 * for a pipe, never reads a device, and never holds more than the limit in memory. Files of other programs are read here
 * only; a test of the architecture forbids other ways in `agent/`.
 */

import {
	type BigIntStats,
	closeSync,
	constants,
	createReadStream,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	readSync,
	realpathSync,
	type Stats,
	statSync,
} from "node:fs";
import { join, sep } from "node:path";
import { EngineError } from "../error/engine-error.ts";

export type FileReading =
	| { readonly kind: "bytes"; readonly bytes: Buffer }
	| { readonly kind: "absent" }
	/** `what`: a folder, a pipe, a device, …, as people read it. */
	| { readonly kind: "odd"; readonly what: string }
	/** At least this many bytes. */
	| { readonly kind: "too-large"; readonly bytes: number }
	| { readonly kind: "unreadable"; readonly code: string };

const CHUNK_BYTES = 64 * 1024;

/** Reads a whole file, if it is a regular one within the limit. Never throws. */
export function readBounded(path: string, maxBytes: number): FileReading {
	let file: number | undefined;
	try {
		// Without O_NONBLOCK, opening a pipe would wait for a writer.
		file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const stat = fstatSync(file);
		if (!stat.isFile()) return { kind: "odd", what: kindOf(stat) };
		if (stat.size > maxBytes) return { kind: "too-large", bytes: stat.size };
		const bytes = readAll(file, stat.size, maxBytes);
		return bytes.length > maxBytes ? { kind: "too-large", bytes: bytes.length } : { kind: "bytes", bytes };
	} catch (error) {
		const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? "EUNKNOWN");
		if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
		// A socket, or a pipe or device without a server.
		if (code === "ENXIO") return { kind: "odd", what: "not a regular file" };
		return { kind: "unreadable", code };
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

/** The same for a file in a folder. A name or a link that leads out of the folder counts as absent. */
export function readWithin(folder: string, name: string, maxBytes: number): FileReading {
	const path = realPathWithin(folder, join(folder, name));
	return path === undefined ? { kind: "absent" } : readBounded(path, maxBytes);
}

/** The real path of something in a folder; undefined: it is missing, or leads out of the folder. */
function realPathWithin(folder: string, path: string): string | undefined {
	const [root, real] = [realPath(folder), realPath(path)];
	return root !== undefined && real !== undefined && isWithin(root, real) ? real : undefined;
}

/** Both are real paths. */
export function isWithin(root: string, real: string): boolean {
	return real === root || real.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);
}

/** Undefined: missing or unreachable. */
export function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}

/** Undefined: nothing was read. */
export function textOf(reading: FileReading): string | undefined {
	return reading.kind === "bytes" ? reading.bytes.toString("utf8") : undefined;
}

/**
 * At most this many bytes from an offset, which counts from the end if it is negative. Fewer, or none, if the file has no
 * more or cannot be read.
 */
export function readPiece(path: string, offset: number, maxBytes: number): Buffer {
	const piece = Buffer.alloc(maxBytes);
	let file: number | undefined;
	try {
		file = openRegular(path);
		const start = offset < 0 ? Math.max(0, fstatSync(file).size + offset) : offset;
		return piece.subarray(0, readSync(file, piece, 0, piece.length, start));
	} catch {
		return piece.subarray(0, 0);
	} finally {
		if (file !== undefined) closeSync(file);
	}
}

const MAX_PIECE_BYTES = 1024 * 1024;
/** A rest of this size is read at once. */
const SMALL_REST_BYTES = 256 * 1024;

/**
 * The bytes of a file from an offset on, in pieces. Throws as `openRegular` does. A file that grows is read often and little:
 * large buffers for a few lines would make most of the work of the garbage collector.
 */
export async function* streamRegular(path: string, start: number): AsyncGenerator<Buffer> {
	const file = openRegular(path);
	const rest = fstatSync(file).size - start;
	if (rest > SMALL_REST_BYTES) {
		yield* createReadStream(path, { fd: file, start, highWaterMark: MAX_PIECE_BYTES });
		return;
	}
	try {
		const bytes = Buffer.allocUnsafe(Math.max(0, rest));
		const length = readSync(file, bytes, 0, bytes.length, start);
		if (length > 0) yield bytes.subarray(0, length);
	} finally {
		closeSync(file);
	}
}

/** Undefined: missing or unreachable, as a link to itself or a folder without permission. */
export function statOf(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
	}
}

/** Of a link itself. Undefined: nothing has this name; a folder on the way may be a file. Throws any other trouble. */
export function linkStatOf(path: string): BigIntStats | undefined {
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
		throw error;
	}
}

/**
 * Opens a file for reading; the caller closes it. Throws the system's error, or an error that this is no regular file.
 */
export function openRegular(path: string): number {
	const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	const stat = fstatSync(file);
	if (stat.isFile()) return file;
	closeSync(file);
	throw notRegular(path, stat);
}

/** Throws for a pipe, a device or a folder. Passes a path where there is nothing. */
export function requireRegular(path: string): void {
	const stat = statOf(path);
	if (stat && !stat.isFile()) throw notRegular(path, stat);
}

function notRegular(path: string, stat: Stats): EngineError {
	return new EngineError("unknown-format", `${path} is ${kindOf(stat)}, not a file. It was not read.`);
}

/** Reads at most one byte more than the limit. The size is a guess: a file may grow, and files of /proc say 0. */
function readAll(file: number, size: number, maxBytes: number): Buffer {
	let buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
	let length = 0;
	for (;;) {
		const count = readSync(file, buffer, length, buffer.length - length, null);
		length += count;
		if (count === 0 || length > maxBytes) return buffer.subarray(0, length);
		if (length < buffer.length) continue;
		const larger = Buffer.allocUnsafe(Math.min(Math.max(buffer.length * 2, CHUNK_BYTES), maxBytes + 1));
		buffer.copy(larger);
		buffer = larger;
	}
}

/** The kind of something that is no regular file. */
function kindOf(stat: Stats): string {
	if (stat.isDirectory()) return "a folder";
	if (stat.isFIFO()) return "a pipe";
	if (stat.isSocket()) return "a socket";
	return stat.isCharacterDevice() || stat.isBlockDevice() ? "a device" : "not a regular file";
}

/** None if the folder cannot be read. */
export function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
