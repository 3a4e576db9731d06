/**
 * Where a file's text comes from when it is shown: the disk, or the log for a recorded session. A source never throws:
 * its answer says why there is no text.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve, sep } from "node:path";
import { type FileReading, readBounded } from "../../base/file/regular-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";

export type FileContent =
	/** `hash`: SHA-256 of the bytes. */
	| { readonly kind: "text"; readonly text: string; readonly hash: string }
	/** Only these stretches are known, in order. `from` is the number of the first line, from 1. */
	| { readonly kind: "partial"; readonly parts: readonly KnownLines[] }
	| { readonly kind: "deleted" }
	| { readonly kind: "binary"; readonly bytes: number }
	| { readonly kind: "huge"; readonly bytes: number }
	| { readonly kind: "unreadable"; readonly reason: string }
	/** A link or path that leads out of the project. Its text is not shown. */
	| { readonly kind: "outside" };

export interface KnownLines {
	readonly from: number;
	readonly lines: readonly string[];
}

export interface FileSource {
	/** Takes a path as the state names it: relative to the project's root, or absolute. */
	read(path: string): FileContent;
}

const MAX_FILE_BYTES = 2 * 1024 * 1024;
const MAX_SNIFFED_BYTES = 8_000;

/** The files of a project as the disk has them now. */
export function diskFiles(root: string, options: { readonly maxBytes?: number } = {}): FileSource {
	const base = realPath(root) ?? resolve(root);
	const maxBytes = options.maxBytes ?? MAX_FILE_BYTES;
	return {
		read(path) {
			const spelt = path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
			const named = isAbsolute(spelt) ? spelt : join(base, spelt);
			try {
				const real = realpathSync(named);
				if (real !== base && !real.startsWith(base.endsWith(sep) ? base : base + sep)) return { kind: "outside" };
				return contentOf(readBounded(real, maxBytes));
			} catch (error) {
				return failed(error);
			}
		},
	};
}

function contentOf(reading: FileReading): FileContent {
	switch (reading.kind) {
		case "bytes":
			return toContent(reading.bytes);
		case "absent":
			return { kind: "deleted" };
		case "too-large":
			return { kind: "huge", bytes: reading.bytes };
		case "odd":
			return { kind: "unreadable", reason: reading.what === "a folder" ? reading.what : "not a regular file" };
		case "unreadable":
			return failed({ code: reading.code });
	}
}

function toContent(bytes: Buffer): FileContent {
	if (bytes.subarray(0, MAX_SNIFFED_BYTES).includes(0)) return { kind: "binary", bytes: bytes.length };
	const text = bytes.toString("utf8");
	// Bytes that are not UTF-8 would not survive decoding.
	if (text.includes("\ufffd") && !Buffer.from(text).equals(bytes)) return { kind: "binary", bytes: bytes.length };
	return { kind: "text", text, hash: sha256(text) };
}

function failed(error: unknown): FileContent {
	const code = (error as { code?: string }).code ?? "";
	if (code === "ENOENT" || code === "ENOTDIR") return { kind: "deleted" };
	const reasons: Readonly<Record<string, string>> = {
		EACCES: "no permission",
		EPERM: "no permission",
		ELOOP: "links that lead in a circle",
		ENAMETOOLONG: "the name is too long",
		ENXIO: "not a regular file",
		ERR_INVALID_ARG_VALUE: "this name is not allowed",
	};
	return { kind: "unreadable", reason: reasons[code] ?? (code || "unknown error") };
}

function realPath(path: string): string | undefined {
	try {
		return realpathSync(path);
	} catch {
		return undefined;
	}
}
