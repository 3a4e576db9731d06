/** Tells the kind of a session file from its first bytes and lines. */
import { constants, gunzipSync } from "node:zlib";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { readPiece } from "../../base/file/regular-file.ts";
import type { JsonObject } from "../../base/json/read.ts";
import type { FoundSession, SessionReader, SourceFile } from "./session-reader.ts";

export type SessionFileKind =
	/** An archive or export of weft. */
	{ readonly kind: "weft" } | { readonly kind: string; readonly found: FoundSession };

/**
 * Decides as soon as the lines allow it. `lines`: the first lines, parsed; undefined for one that is not JSON. With `isAll`
 * no more lines will come, and readers may guess; certain readers still win over guesses.
 */
export function detectKind(
	readers: readonly SessionReader[],
	lines: readonly (JsonObject | undefined)[],
	file: SourceFile,
	isAll: boolean,
): SessionFileKind | undefined {
	if (lines[0]?.["type"] === "weft-archive") return { kind: "weft" };
	for (const isLast of isAll ? [false, true] : [false]) {
		for (const reader of readers) {
			const found = askReader(file.path, () => reader.ofLines?.(lines, file, isLast));
			if (found) return { kind: reader.kind, found };
		}
	}
	return undefined;
}

/** A reader throws for a value or a version that it does not know. That costs the file, in a sentence. */
export function askReader<Answer>(path: string, ask: () => Answer): Answer {
	try {
		return ask();
	} catch (cause) {
		if (cause instanceof EngineError) throw cause;
		throw new EngineError("damaged", `${path} cannot be read: ${errorText(cause)}.`, { cause });
	}
}

/** An archive from `prune --gzip`. */
export function isPackedArchive(path: string): boolean {
	const head = headOf(path);
	if (head.length < 2 || head[0] !== 0x1f || head[1] !== 0x8b) return false;
	try {
		// The head is a truncated gzip stream; without the flush option gunzip would throw.
		const text = gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }).toString("utf8");
		return text.startsWith('{"type":"weft-archive"');
	} catch {
		return false;
	}
}

export function isDatabase(path: string): boolean {
	return headOf(path).subarray(0, 16).toString("latin1") === "SQLite format 3\0";
}

function headOf(path: string): Buffer {
	return readPiece(path, 0, 512);
}

const LOOKED_FOR = " Looked for: ";

/** Ends a message about a file of unknown kind. */
export function renderKnownKinds(readers: readonly SessionReader[], ...others: readonly string[]): string {
	const known = readers.map(({ name, looksFor }) => `${name}: ${looksFor}`);
	return `${LOOKED_FOR}${[...known, ...others].join("; ")}.`;
}

/** The message without that list, if an earlier message had it. */
export function withoutKnownKinds(message: string): string {
	const at = message.indexOf(LOOKED_FOR);
	return at < 0 ? message : message.slice(0, at);
}
