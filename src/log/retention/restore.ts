/** Restores an archive or a JSONL export. Events that the log has stay as they are. */
import { EngineError } from "../../base/error/engine-error.ts";
import type { AppendableEvent } from "../append.ts";
import { databaseOf } from "../database.ts";
import type { AnyPayload } from "../event/types.ts";
import type { Log } from "../log.ts";
import type { StoredRecord } from "../read.ts";
import { parseUuid } from "../store/uuid.ts";
import { type ArchiveRefusal, type PlacedLines, placeArchive } from "./archive-proof.ts";

const BATCH_EVENTS = 500;
const MAX_REFUSALS = 100;

export interface RestoreReport {
	/** Put back at their seqs. */
	readonly restored: number;
	/** Events of another log: added at the end. */
	readonly appended: number;
	readonly known: number;
	/** Events that claim a seq in this log without proof, and events that no log accepts. */
	readonly refused: number;
	/** Which, and why; at most a hundred. */
	readonly refusals: readonly ArchiveRefusal[];
}

/**
 * An event of this log goes back to its seq if the chain proves it; one of another log is appended with its id, origin and
 * entry. A damaged line ends the reading; the lines before it are kept.
 */
export async function restoreArchive(log: Log, path: string): Promise<RestoreReport> {
	const restoring = new Restoring(log);
	try {
		for await (const placed of placeArchive(log, path)) restoring.take(placed);
	} finally {
		restoring.end();
	}
	return restoring.report;
}

type WaitingEvents = Extract<PlacedLines, { readonly kind: "proved" | "stranger" }>;

class Restoring {
	readonly report = { restored: 0, appended: 0, known: 0, refused: 0, refusals: [] as ArchiveRefusal[] };
	readonly #log: Log;
	readonly #known: KnownIds;
	#batch: WaitingEvents[] = [];
	#events = 0;

	constructor(log: Log) {
		this.#log = log;
		this.#known = new KnownIds(log);
	}

	take(placed: PlacedLines): void {
		switch (placed.kind) {
			case "blob":
				this.#log.putBlob(placed.bytes);
				return;
			case "known":
				this.report.known++;
				return;
			case "refused":
				this.#refuse(placed);
				return;
		}
		this.#batch.push(placed);
		this.#events += placed.kind === "proved" ? placed.events.length : 1;
		if (this.#events >= BATCH_EVENTS) this.#write();
	}

	end(): void {
		this.#write();
		if (this.report.restored > 0) this.#log.transaction(() => this.#log.projection?.pruned());
	}

	#write(): void {
		const batch = this.#batch;
		this.#batch = [];
		this.#events = 0;
		if (batch.length === 0) return;
		this.#log.transaction(() => {
			const strangers: Extract<WaitingEvents, { kind: "stranger" }>[] = [];
			for (const waiting of batch) {
				if (waiting.kind === "stranger") strangers.push(waiting);
				else this.#putBack(waiting.line, waiting.events);
			}
			this.#append(strangers);
		});
	}

	/** Whole or not at all: half a stretch would break the chain. */
	#putBack(line: number, events: readonly StoredRecord[]): void {
		try {
			this.#log.transaction(() => {
				for (const event of events) if (!this.#log.putBack(event)) throw new NotPutBack(event);
			});
			this.report.restored += events.length;
		} catch (error) {
			if (!(error instanceof NotPutBack)) throw error;
			const { seq, type, id } = error.event;
			if (this.#log.getStored(seq)?.id === id) {
				// Another process put it back meanwhile.
				this.report.known += events.length;
				return;
			}
			const what = `event ${seq} (${type})`;
			const reason = "the log has an event of its session, type and entry, which was imported again since the prune";
			this.#refuse({ line, what, events: events.length, reason });
		}
	}

	#append(strangers: readonly Extract<WaitingEvents, { kind: "stranger" }>[]): void {
		const fresh = strangers.filter(({ event }) => !this.#known.has(event.id));
		this.report.known += strangers.length - fresh.length;
		try {
			this.#count(fresh.length, this.#log.append(fresh.map(asNew), { packed: true, lostBlobs: "take" }).added);
		} catch (error) {
			if (!isBadEvent(error)) throw error;
			// At least one of them is malformed. Appends the others one by one.
			for (const one of fresh) this.#appendOne(one);
		}
	}

	#appendOne(stranger: Extract<WaitingEvents, { kind: "stranger" }>): void {
		const { line, event } = stranger;
		try {
			this.#count(1, this.#log.append([asNew(stranger)], { packed: true, lostBlobs: "take" }).added);
		} catch (error) {
			if (!isBadEvent(error)) throw error;
			this.#refuse({ line, what: `event ${event.seq} (${event.type})`, events: 1, reason: error.message });
		}
	}

	#count(given: number, added: number): void {
		this.report.appended += added;
		this.report.known += given - added;
	}

	#refuse({ line, what, events, reason }: ArchiveRefusal): void {
		this.report.refused += events;
		if (this.report.refusals.length < MAX_REFUSALS) this.report.refusals.push({ line, what, events, reason });
	}
}

class NotPutBack extends Error {
	readonly event: StoredRecord;

	constructor(event: StoredRecord) {
		super(`event ${event.seq}`);
		this.event = event;
	}
}

function isBadEvent(error: unknown): error is EngineError {
	return error instanceof EngineError && error.code === "bad-event";
}

/** All ids of the log, collected at the first question. */
export class KnownIds {
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

/** Drops seq and cause, which belong to another log. */
function asNew({ event }: { readonly event: StoredRecord }): AppendableEvent {
	const { id, origin, session, host, ts, type, v, text } = event;
	const payload = JSON.parse(text) as AnyPayload;
	return { id, origin, session, host, ts, type, v, payload, text, entry: event.entry ?? undefined };
}
