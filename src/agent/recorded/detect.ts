/** What kind of session a file holds, from its first bytes and lines. */
import { closeSync, readSync } from "node:fs";
import { constants, gunzipSync } from "node:zlib";
import { openRegular } from "../../base/file/regular-file.ts";
import type { JsonObject } from "../../base/json/read.ts";
import { READERS } from "../readers.ts";
import type { FoundSession, Reader, SourceFile } from "./reader.ts";

export type FileKind =
	| { readonly kind: "weft" }
	| { readonly kind: string; readonly reader: Reader; readonly found: FoundSession };

/**
 * Decides as soon as the lines allow it; undefined: not yet, or never. `lines` are the first ones, parsed; what could not
 * be parsed is undefined. The readers are asked in order: those that are certain come first.
 */
export function detectKind(
	lines: readonly (JsonObject | undefined)[],
	file: SourceFile,
	isAll: boolean,
): FileKind | undefined {
	if (lines[0]?.["type"] === "weft-archive") return { kind: "weft" };
	// Whoever is certain comes before whoever takes what is left.
	for (const isLast of isAll ? [false, true] : [false]) {
		for (const reader of READERS) {
			const found = reader.ofLines?.(lines, file, isLast);
			if (found) return { kind: reader.kind, reader, found };
		}
	}
	return undefined;
}

/** An archive that `prune --gzip` wrote. */
export function isPackedArchive(path: string): boolean {
	const head = headOf(path);
	if (!head || head.length < 2 || head[0] !== 0x1f || head[1] !== 0x8b) return false;
	try {
		// A file cut off after its beginning still tells what it is.
		const text = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
		return text.startsWith('{"type":"weft-archive"');
	} catch {
		return false;
	}
}

export function isDatabase(path: string): boolean {
	return headOf(path)?.subarray(0, 16).toString("latin1") === "SQLite format 3\0";
}

function headOf(path: string): Buffer | undefined {
	const head = Buffer.alloc(512);
	let file: number | undefined;
	try {
		file = openRegular(path);
		return head.subarray(0, readSync(file, head, 0, head.length, 0));
	} catch {
		return undefined;
	} finally {
		if (file !== undefined) closeSync(file);
	}
}
