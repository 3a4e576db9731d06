/**
 * The newest events of the log as this process wrote them: folds and the search index use them at once and need not read them
 * back. A commit of another process empties it.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { only } from "../../base/sqlite/rows.ts";
import { isReadable, wrongIn } from "../event/check.ts";
import type { AnyPayload, EventRecord } from "../event/types.ts";
import { matchesQuery } from "../query-match.ts";
import type { ReadQuery } from "../types.ts";
import { OncePerTick } from "./once-per-tick.ts";

export type WrittenEvent = Omit<EventRecord, "wrong"> & { readonly size: number };

const MAX_HELD_EVENTS = 5_000;
const MAX_HELD_BYTES = 4_000_000;

/** A query with any other condition is answered by the log. */
const ANSWERED_CONDITIONS = new Set(["after", "upTo", "session", "host", "types", "limit", "everything", "order"]);

interface HeldEvent {
	readonly event: WrittenEvent;
	record?: EventRecord;
}

export class RecentEvents {
	readonly #db: DatabaseSync;
	/** Changes with every commit of another connection and with none of our own. */
	readonly #dataVersion: StatementSync;
	/** Without gaps, oldest first; the last is the newest event of the log. */
	readonly #kept: HeldEvent[] = [];
	#bytes = 0;
	/** Written and not yet committed. */
	#waiting: WrittenEvent[] = [];
	#version: number | undefined;
	#hasCompany = false;
	readonly #glance: OncePerTick<number> | undefined;

	constructor(db: DatabaseSync, options: { readonly looksOncePerTick?: boolean | undefined } = {}) {
		this.#db = db;
		this.#dataVersion = db.prepare("PRAGMA data_version");
		this.#dataVersion.setReturnArrays(true);
		if (options.looksOncePerTick) this.#glance = new OncePerTick(() => this.#readVersion());
	}

	/** Call inside the transaction that writes them. */
	wrote(events: readonly WrittenEvent[]): void {
		this.#renew(this.#readVersion());
		this.#waiting.push(...events);
	}

	/** Call after the outermost commit. The version seen inside it still holds: no other process could write. */
	committed(): void {
		if (this.#waiting.length > 0 && this.#version !== undefined) this.#glance?.saw(this.#version);
		for (const event of this.#waiting) this.#keep(event);
		this.#waiting.length = 0;
	}

	/** False: another process has written since the last call. */
	isAlone(): boolean {
		const isAlone = !this.#hasCompany;
		this.#hasCompany = false;
		return isAlone;
	}

	/** Call after a rollback, or when rows were changed. */
	forget(): void {
		this.#kept.length = 0;
		this.#bytes = 0;
		this.#waiting.length = 0;
	}

	/** Undefined: the log must be read. */
	read(query: ReadQuery): EventRecord[] | undefined {
		const { after, limit = Number.POSITIVE_INFINITY } = query;
		const first = this.#kept[0];
		if (!first || after === undefined || after + 1 < first.event.seq || query.order === "newest") return undefined;
		if (!isAnswered(query) || !this.#isNewest()) return undefined;
		const found: EventRecord[] = [];
		for (const kept of this.#kept.slice(after + 1 - first.event.seq)) {
			if (found.length >= limit || (query.upTo !== undefined && kept.event.seq > query.upTo)) break;
			if (!matchesQuery(kept.event, query)) continue;
			const record = recordOf(kept);
			if (query.everything || isReadable(record)) found.push(record);
		}
		return found;
	}

	/** The newest seq of the log. Undefined: the log must be read. */
	newestSeq(): number | undefined {
		return this.#kept.length > 0 && this.#isNewest() ? this.#kept.at(-1)?.event.seq : undefined;
	}

	get(seq: number): EventRecord | undefined {
		const first = this.#kept[0];
		const kept = first && this.#kept[seq - first.event.seq];
		return kept && this.#isNewest() ? recordOf(kept) : undefined;
	}

	/** False: another process has written since, or this one is writing. */
	#isNewest(): boolean {
		if (this.#waiting.length > 0) return false;
		// A transaction sees what others have committed since the glance: a fold that did not would skip it for good.
		const glance = this.#db.isTransaction ? undefined : this.#glance;
		this.#renew(glance?.get() ?? this.#readVersion());
		return this.#kept.length > 0;
	}

	#readVersion(): number {
		return only<[number]>(this.#dataVersion)[0];
	}

	#renew(version: number): void {
		if (version === this.#version) return;
		this.forget();
		this.#hasCompany = this.#version !== undefined;
		this.#version = version;
	}

	#keep(event: WrittenEvent): void {
		const last = this.#kept.at(-1);
		if (last && last.event.seq + 1 !== event.seq) this.forget();
		this.#kept.push({ event });
		this.#bytes += event.size;
		while (this.#kept.length > MAX_HELD_EVENTS || this.#bytes > MAX_HELD_BYTES) this.#dropOldest();
	}

	/** A quarter at once: each single removal would move all the others. */
	#dropOldest(): void {
		const leaving = this.#kept.splice(0, Math.ceil(this.#kept.length / 4));
		for (const { event } of leaving) this.#bytes -= event.size;
	}
}

function isAnswered(query: ReadQuery): boolean {
	for (const key in query) {
		if (!ANSWERED_CONDITIONS.has(key) && query[key as keyof ReadQuery] !== undefined) return false;
	}
	return true;
}

/** The record that a reader of the log would get. */
function recordOf(kept: HeldEvent): EventRecord {
	if (kept.record) return kept.record;
	const { seq, id, origin, session, host, ts, type, v, cause, entry } = kept.event;
	const payload: AnyPayload = kept.event.payload;
	const fields = { seq, id, origin, session, host, ts, type, v, cause, entry, payload };
	const wrong = wrongIn(type, v, payload);
	kept.record = wrong === undefined ? fields : { ...fields, wrong: `is malformed: ${wrong}` };
	return kept.record;
}
