/**
 * Reads paths that may be anything. It checks kind and size first, on the descriptor that it then reads: it never waits
 * for a pipe, never reads a device, and never holds more than the limit in memory.
 */

import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from "node:fs";
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

/** Undefined: missing or unreachable, as a link to itself or a folder without permission. */
export function statOf(path: string): Stats | undefined {
	try {
		return statSync(path, { throwIfNoEntry: false });
	} catch {
		return undefined;
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
	throw new EngineError("unknown-format", `${path} is ${kindOf(stat)}, not a file. It was not read.`);
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
