/**
 * The newest events of the log, as this process has just written them: folds and the search index ask for them at once, and
 * need not read them back. Nothing here outlives a commit of anybody else: then the log is read.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { one } from "../../base/sqlite/rows.ts";
import { isReadable, wrongIn } from "../event/check.ts";
import type { AnyPayload, EventRecord } from "../event/types.ts";
import type { ReadQuery } from "../types.ts";
import { OncePerTick } from "./once-per-tick.ts";

/** An event that was just written. */
export type WrittenEvent = Omit<EventRecord, "wrong"> & { readonly size: number };

const MAX_EVENTS = 5_000;
const MAX_BYTES = 4_000_000;

/** Questions about anything else are for the log. */
const ANSWERED = new Set(["after", "upTo", "session", "host", "types", "limit", "everything", "order"]);

interface Kept {
	readonly event: WrittenEvent;
	record?: EventRecord;
}

export class RecentEvents {
	/** Moves with every commit of another connection, and with none of our own. */
	readonly #dataVersion: StatementSync;
	/** Neighbours, oldest first; the last one is the newest event of the log. */
	readonly #kept: Kept[] = [];
	#bytes = 0;
	/** Written, and not yet committed. */
	#waiting: WrittenEvent[] = [];
	#version: number | undefined;
	#hasCompany = false;
	readonly #glance: OncePerTick<number> | undefined;

	constructor(db: DatabaseSync, options: { readonly looksOncePerTick?: boolean | undefined } = {}) {
		this.#dataVersion = db.prepare("PRAGMA data_version");
		this.#dataVersion.setReturnArrays(true);
		if (options.looksOncePerTick) this.#glance = new OncePerTick(() => this.#readVersion());
	}

	/** Inside the transaction that writes them. */
	wrote(events: readonly WrittenEvent[]): void {
		this.#renew(this.#readVersion());
		this.#waiting.push(...events);
	}

	/** After the outermost commit. What was looked at inside of it holds: nobody else could write then. */
	committed(): void {
		if (this.#waiting.length > 0 && this.#version !== undefined) this.#glance?.saw(this.#version);
		for (const event of this.#waiting) this.#keep(event);
		this.#waiting.length = 0;
	}

	/** False: somebody else has written since this was asked last. */
	isAlone(): boolean {
		const isAlone = !this.#hasCompany;
		this.#hasCompany = false;
		return isAlone;
	}

	/** After a rollback, or where rows were changed. */
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
		for (let at = after + 1 - first.event.seq; at < this.#kept.length && found.length < limit; at++) {
			const kept = this.#kept[at]!;
			if (query.upTo !== undefined && kept.event.seq > query.upTo) break;
			if (!matches(kept.event, query)) continue;
			const record = recordOf(kept);
			if (query.everything || isReadable(record)) found.push(record);
		}
		return found;
	}

	/** seq of the newest event of the log. Undefined: the log must be asked. */
	newestSeq(): number | undefined {
		return this.#kept.length > 0 && this.#isNewest() ? this.#kept.at(-1)!.event.seq : undefined;
	}

	get(seq: number): EventRecord | undefined {
		const first = this.#kept[0];
		const kept = first && this.#kept[seq - first.event.seq];
		return kept && this.#isNewest() ? recordOf(kept) : undefined;
	}

	/** False: somebody else has written since, or we are in the middle of writing. */
	#isNewest(): boolean {
		if (this.#waiting.length > 0) return false;
		this.#renew(this.#glance?.get() ?? this.#readVersion());
		return this.#kept.length > 0;
	}

	#readVersion(): number {
		return one<[number]>(this.#dataVersion)![0];
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
		while (this.#kept.length > MAX_EVENTS || this.#bytes > MAX_BYTES) this.#dropOldest();
	}

	/** Many at once: one by one each would move all the others. */
	#dropOldest(): void {
		const leaving = this.#kept.splice(0, Math.ceil(this.#kept.length / 4));
		for (const { event } of leaving) this.#bytes -= event.size;
	}
}

function isAnswered(query: ReadQuery): boolean {
	for (const key in query) {
		if (!ANSWERED.has(key) && query[key as keyof ReadQuery] !== undefined) return false;
	}
	return true;
}

function matches({ session, host, type }: WrittenEvent, query: ReadQuery): boolean {
	return (
		(query.session === undefined || session === query.session) &&
		(query.host === undefined || host === query.host) &&
		(query.types === undefined || query.types.includes(type))
	);
}

/** As a reader of the log gets it. */
function recordOf(kept: Kept): EventRecord {
	if (kept.record) return kept.record;
	const { seq, id, origin, session, host, ts, type, v, cause, entry } = kept.event;
	const payload: AnyPayload = kept.event.payload;
	const fields = { seq, id, origin, session, host, ts, type, v, cause, entry, payload };
	const wrong = wrongIn(type, v, payload);
	kept.record = wrong === undefined ? fields : { ...fields, wrong: `is malformed: ${wrong}` };
	return kept.record;
}
