/** Reads an archive or a JSONL export back in. What is there already stays as it is. */
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { createGunzip } from "node:zlib";
import { EngineError } from "../error/engine-error.ts";
import type { AnyPayload } from "../event/types.ts";
import { splitLines } from "../text/lines.ts";
import type { AppendableEvent } from "./append.ts";
import { ARCHIVE_TYPE } from "./archive.ts";
import { databaseOf } from "./database.ts";
import type { Log } from "./log.ts";
import { splitLast } from "./payload.ts";
import type { StoredRecord } from "./read.ts";
import { parseUuid } from "./uuid.ts";

const BATCH_EVENTS = 500;

export interface RestoreReport {
	/** Put back where they had been. */
	readonly restored: number;
	/** Events of another log: added at the end. */
	readonly appended: number;
	readonly known: number;
}

/**
 * An event goes back to its old place when the chain proves that it stood there; one of another log is added at the end
 * with its id, origin and host entry. A damaged line ends the reading, and what came before it is kept.
 */
export async function restoreArchive(log: Log, path: string): Promise<RestoreReport> {
	const report = { restored: 0, appended: 0, known: 0 };
	const known = new KnownIds(log);
	let batch: StoredRecord[] = [];
	const flush = () => {
		log.transaction(() => restoreBatch(log, batch, known, report));
		batch = [];
	};
	let number = 0;
	const file = createReadStream(path);
	try {
		for await (const line of splitLines(isGzip(path) ? file.pipe(createGunzip()) : file)) {
			number++;
			const fields = parseLine(line, path, number);
			if (number === 1) refuseOther(fields, path);
			else if (typeof fields["blob"] === "string") log.putBlob(Buffer.from(String(fields["base64"]), "base64"));
			else batch.push(asStored(fields, line, path, number));
			if (batch.length >= BATCH_EVENTS) flush();
		}
	} finally {
		flush();
		if (report.restored > 0) log.transaction(() => log.projection?.pruned());
	}
	return report;
}

function restoreBatch(
	log: Log,
	events: readonly StoredRecord[],
	known: KnownIds,
	report: { restored: number; appended: number; known: number },
): void {
	const strangers: AppendableEvent[] = [];
	for (const event of events) {
		if (log.getStored(event.seq)?.id === event.id) report.known++;
		else if (log.putBack(event)) report.restored++;
		else if (known.has(event.id)) report.known++;
		else strangers.push(asNew(event));
	}
	const { added } = log.append(strangers, { packed: true });
	report.appended += added;
	report.known += strangers.length - added;
}

/** By its first bytes: an archive may have any name. */
function isGzip(path: string): boolean {
	const head = Buffer.alloc(2);
	const file = openSync(path, "r");
	try {
		return readSync(file, head, 0, 2, 0) === 2 && head[0] === 0x1f && head[1] === 0x8b;
	} finally {
		closeSync(file);
	}
}

/** All ids of the log, gathered when the first stranger asks. */
class KnownIds {
	readonly #log: Log;
	#ready = false;

	constructor(log: Log) {
		this.#log = log;
	}

	has(id: string): boolean {
		const db = databaseOf(this.#log);
		if (!this.#ready) {
			db.exec("DROP TABLE IF EXISTS temp.known_id; CREATE TEMP TABLE known_id (id BLOB PRIMARY KEY) WITHOUT ROWID");
			db.exec("INSERT OR IGNORE INTO known_id SELECT id FROM event");
			this.#ready = true;
		}
		return db.prepare("SELECT 1 FROM known_id WHERE id = ?").get(parseUuid(id) ?? new Uint8Array()) !== undefined;
	}
}

/** Its seq and cause belong to another log and are not taken over. */
function asNew(event: StoredRecord): AppendableEvent {
	const { id, origin, session, host, ts, type, v, text } = event;
	const payload = JSON.parse(text) as AnyPayload;
	return {
		id,
		origin,
		session,
		host,
		ts,
		type,
		v,
		payload,
		text,
		entry: event.entry ?? undefined,
	};
}

function parseLine(line: string, path: string, number: number): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(line);
		if (value !== null && typeof value === "object") return value as Record<string, unknown>;
	} catch {
		// Said below.
	}
	throw damagedLine(path, number);
}

function refuseOther(fields: Record<string, unknown>, path: string): void {
	if (fields["type"] === ARCHIVE_TYPE) return;
	throw new EngineError(
		"unknown-format",
		`${path} is not a weft archive: its first line does not say so. Nothing was written.`,
	);
}

function asStored(fields: Record<string, unknown>, line: string, path: string, number: number): StoredRecord {
	const text = splitLast(line, "payload");
	const { payload: _, ...rest } = fields;
	const whole = text !== undefined && typeof fields["hash"] === "string" && typeof fields["id"] === "string";
	if (!whole || !Number.isSafeInteger(fields["seq"])) throw damagedLine(path, number);
	return { ...(rest as unknown as Omit<StoredRecord, "text">), text };
}

function damagedLine(path: string, number: number): EngineError {
	return new EngineError("damaged", `${path}:${number} is not a line of an archive. What came before it was read in.`);
}
