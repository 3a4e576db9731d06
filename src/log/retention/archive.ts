/**
 * Archives: events as JSON lines, exact enough to be restored (`restore.ts`). The first line names the format and the log;
 * each blob has a line before the events that need it. A JSONL export has the same form. This file checks only the form of
 * a line; `archive-proof.ts` checks its content against the chain.
 */
import { createHash, hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { closeSync, createReadStream, createWriteStream, readSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { EngineError } from "../../base/error/engine-error.ts";
import { openRegular } from "../../base/file/regular-file.ts";
import { all } from "../../base/sqlite/rows.ts";
import { translateSqliteError } from "../../base/sqlite/sqlite-error.ts";
import { LineTooLong, splitLines } from "../../base/text/lines.ts";
import { databaseOf } from "../database.ts";
import type { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { joinLast, splitLast } from "../store/payload-text.ts";

const ARCHIVE_TYPE = "weft-archive";
const LOG_ID = "id";

/** Where pruning writes archives by default. */
/** Only one process prunes a log at a time. */
export function leasePath(log: Log): string {
	return join(log.folder, "prune.lock");
}

export function archiveFolder(log: Log): string {
	return join(log.folder, "archive");
}

/** The id of a log, which its archives carry; undefined: it has none and is read-only. */
export function logId(log: Log): string | undefined {
	const known = log.meta(LOG_ID);
	if (known !== undefined || log.readOnly) return known;
	return log.transaction(() => {
		const others = log.meta(LOG_ID);
		if (others !== undefined) return others;
		const id = randomUUID();
		setLogId(log, id);
		return id;
	});
}

/** For a copy that continues as its own log. Its older archives are still recognised by the hashes in them. */
export function setLogId(log: Log, id: string): void {
	log.setMeta(LOG_ID, id);
}

/** The lines of an archive of these events. */
export function* archiveLines(log: Log, records: Iterable<StoredRecord>): Generator<string> {
	yield JSON.stringify({ type: ARCHIVE_TYPE, version: 1, log: logId(log) });
	const blobsOf = databaseOf(log).prepare("SELECT lower(hex(hash)) AS hash FROM blob_use WHERE seq = ?");
	const written = new Set<string>();
	for (const record of records) {
		// A lost event cannot be copied; the read has reported it.
		if (record.lost !== undefined) continue;
		for (const { hash } of all<{ hash: string }>(blobsOf, record.seq)) {
			if (written.has(hash)) continue;
			written.add(hash);
			yield JSON.stringify({ blob: hash, ...readBlob(log, hash) });
		}
		const { text, ...fields } = record;
		yield eventLine(JSON.stringify(fields), text);
	}
}

/** A payload with line breaks becomes a string: an event is one line of an archive. */
function eventLine(fields: string, payload: string): string {
	return /[\r\n]/.test(payload)
		? joinLast(fields, "text", JSON.stringify(payload))
		: joinLast(fields, "payload", payload);
}

/** An unreadable blob is marked lost and does not stop the archive. */
function readBlob(log: Log, name: string): { readonly base64: string } | { readonly lost: true } {
	try {
		const bytes = log.getBlob(name);
		return bytes ? { base64: bytes.toString("base64") } : { lost: true };
	} catch {
		return { lost: true };
	}
}

/** Writes the lines to a new file and flushes it to disk. Never overwrites a file. */
export async function writeArchive(
	path: string,
	lines: Iterable<string>,
	options: { readonly gzip: boolean },
): Promise<void> {
	const file = createWriteStream(path, { mode: 0o600, flush: true, flags: "wx" });
	const done = finished(file).catch((cause: unknown) => {
		throw translateSqliteError(cause, path);
	});
	const sink = options.gzip ? createGzip() : file;
	if (sink !== file) sink.pipe(file);
	for (const line of lines) {
		if (!sink.write(`${line}\n`)) await Promise.race([once(sink, "drain"), done]);
	}
	sink.end();
	await done;
}

/** Of the longest text that a program can hold. */
const MAX_LINE_BYTES = 512 * 1024 * 1024;
const UNPACKED_PIECE_BYTES = 256 * 1024;

export type ArchiveLine = { readonly line: number } & (
	| { readonly kind: "head"; readonly log: string | undefined }
	/** Without bytes: the blob was lost when the archive was written. */
	| { readonly kind: "blob"; readonly name: string; readonly bytes: Buffer | undefined }
	| { readonly kind: "event"; readonly event: StoredRecord }
);

/** The lines of an archive, checked only for their form. Throws where the file is cut off or damaged. */
export async function* readArchive(path: string): AsyncGenerator<ArchiveLine> {
	let line = 0;
	try {
		for await (const text of splitLines(openLines(path), MAX_LINE_BYTES)) {
			line++;
			yield { line, ...parseLine(text, path, line) };
		}
	} catch (cause) {
		throw readError(cause, path, line);
	}
	if (line === 0) throw notAnArchive(path);
}

/** SHA-256 of an archive's lines, as in its Pruned event; gzip does not change it. */
export async function hashArchive(path: string): Promise<string> {
	const digest = createHash("sha256");
	try {
		for await (const chunk of openLines(path)) digest.update(chunk);
	} catch (cause) {
		throw readError(cause, path, 0);
	}
	return digest.digest("hex");
}

function openLines(path: string): AsyncIterable<Buffer> {
	const isPacked = isGzip(path);
	const file = createReadStream(path, { fd: openRegular(path) });
	if (!isPacked) return file;
	const gunzip = createGunzip({ chunkSize: UNPACKED_PIECE_BYTES });
	// Otherwise the reader would wait forever for a file that cannot be read.
	file.on("error", (error) => gunzip.destroy(error));
	return file.pipe(gunzip);
}

/** By the first bytes, because an archive may have any name. */
function isGzip(path: string): boolean {
	const head = Buffer.alloc(2);
	const file = openRegular(path);
	try {
		return readSync(file, head, 0, 2, 0) === 2 && head[0] === 0x1f && head[1] === 0x8b;
	} finally {
		closeSync(file);
	}
}

function readError(error: unknown, path: string, line: number): unknown {
	if (error instanceof EngineError) return error;
	const code = String((error as { code?: unknown } | null)?.code);
	if (error instanceof LineTooLong) {
		return new EngineError("damaged", `${path} is damaged after line ${line}: the next one has no end. ${KEPT}`);
	}
	if (code === "Z_BUF_ERROR") {
		return new EngineError("damaged", `${path} is cut off after line ${line}: the end is missing. ${KEPT}`, {
			cause: error,
		});
	}
	if (code.startsWith("Z_")) {
		return new EngineError("damaged", `${path} is damaged after line ${line}: it cannot be unpacked. ${KEPT}`, {
			cause: error,
		});
	}
	if (code === "ENOENT") return new EngineError("not-found", `${path} is not there.`, { cause: error });
	return new EngineError("not-found", `${path} cannot be read. Check the path and its permissions.`, { cause: error });
}

const KEPT = "The lines before it were read in. Is there another copy of the file?";

type ParsedLine = ArchiveLine extends infer Line ? (Line extends ArchiveLine ? Omit<Line, "line"> : never) : never;

function parseLine(text: string, path: string, line: number): ParsedLine {
	const fields = parseObject(text);
	if (line === 1) {
		if (fields?.["type"] !== ARCHIVE_TYPE) throw notAnArchive(path);
		return { kind: "head", log: typeof fields["log"] === "string" ? fields["log"] : undefined };
	}
	if (
		fields &&
		typeof fields["blob"] === "string" &&
		(typeof fields["base64"] === "string" || fields["lost"] === true)
	) {
		const bytes = typeof fields["base64"] === "string" ? Buffer.from(fields["base64"], "base64") : undefined;
		return { kind: "blob", name: fields["blob"], bytes };
	}
	const event = fields && asStored(fields, text);
	if (event) return { kind: "event", event };
	throw new EngineError("damaged", `${path}:${line} is not a line of an archive. The lines before it were read in.`);
}

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}

function asStored(fields: Record<string, unknown>, line: string): StoredRecord | undefined {
	const text = typeof fields["text"] === "string" ? fields["text"] : splitLast(line, "payload");
	const { seq, id, origin, session, host, ts, type, v, cause, entry, hash } = fields;
	const isEvent =
		text !== undefined &&
		isWhole(seq) &&
		seq > 0 &&
		isName(id) &&
		isName(origin) &&
		isName(session) &&
		isName(host) &&
		isWhole(ts) &&
		isName(type) &&
		isWhole(v) &&
		(cause === null || isWhole(cause)) &&
		(entry === null || typeof entry === "string") &&
		isName(hash);
	return isEvent ? { seq, id, origin, session, host, ts, type, v, cause, entry, hash, text } : undefined;
}

function isWhole(value: unknown): value is number {
	return Number.isSafeInteger(value);
}

function isName(value: unknown): value is string {
	return typeof value === "string" && value !== "";
}

function notAnArchive(path: string): EngineError {
	return new EngineError(
		"unknown-format",
		`${path} is not a weft archive: its first line does not say so. Nothing was written.`,
	);
}

/** Whether bytes have the hash that names them. */
export function isBlob(name: string, bytes: Buffer): boolean {
	return hash("sha256", bytes) === name;
}
