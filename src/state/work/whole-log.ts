/**
 * A log read as if nothing had been pruned: missing events come from archives, if they were loaded, or are derived again
 * from the messages. Verdicts, foreign changes, faults and the repository map are in no message, so only an archive
 * brings those back.
 */

import { isReadable } from "../../log/event/check.ts";
import type { AnyPayload, EventRecord } from "../../log/event/types.ts";
import { textIn } from "../../log/fold/state-fold.ts";
import type { StateLog } from "../../log/fold/state-runner.ts";
import { matchesQuery } from "../../log/query-match.ts";
import { isPrunable } from "../../log/retention/prunable-types.ts";
import { sessionKey } from "../../log/session-ref.ts";
import type { ReadQuery } from "../../log/types.ts";
import { viewMessage } from "../../message/view.ts";
import { Calls } from "../session/calls.ts";
import { translateMessage } from "./translate-message.ts";

/** A result follows its call closely, so this many messages before a gap are enough to derive the events in it. */
const MAX_WAITING = 100;

export interface WholeLog extends StateLog {
	/** All events, oldest first. Ignores `limit` and `order`. */
	read(query?: ReadQuery): Iterable<EventRecord>;
	/** How many of the events read so far are not in the log. */
	readonly recalled: { archived: number; derived: number };
}

export function wholeLog(log: StateLog, archived: ReadonlyMap<number, EventRecord> = new Map()): WholeLog {
	const recalled = { archived: 0, derived: 0 };
	return {
		readOnly: log.readOnly,
		folder: log.folder,
		recalled,
		newestSeq: () => log.newestSeq(),
		hashAt: (seq) => log.hashAt(seq),
		fetched: () => log.fetched?.() ?? (() => false),
		read: (query = {}) => {
			const records = log.read({ after: query.after, upTo: query.upTo, everything: true });
			return isWhole(records, query) ? records : readAgain(records, query);
		},
	};

	function* readAgain(
		records: Iterable<EventRecord>,
		{ after, upTo, ...conditions }: ReadQuery,
	): Generator<EventRecord> {
		const again = new DerivedAgain();
		let before = after ?? 0;
		function* fill(next: number): Generator<EventRecord> {
			for (let seq = before + 1; seq < next; seq++) {
				const known = archived.get(seq);
				const record = known ? again.pass(known) : again.next(seq);
				if (!record) continue;
				if (!matchesQuery(record, conditions) || !(conditions.everything || isReadable(record))) continue;
				recalled[known ? "archived" : "derived"]++;
				yield record;
			}
		}
		for (const record of records) {
			if (record.seq > before + 1) yield* fill(record.seq);
			if (matchesQuery(record, conditions) && (conditions.everything || isReadable(record))) yield record;
			again.take(record);
			before = record.seq;
		}
		yield* fill(Math.min(upTo ?? 0, log.newestSeq()) + 1);
	}
}

/** True: the records are all events of the stretch, of every type. This holds for events that were just written. */
function isWhole(records: Iterable<EventRecord>, { after = 0, upTo, everything, ...conditions }: ReadQuery): boolean {
	if (!Array.isArray(records) || upTo === undefined || !everything) return false;
	return records.length === upTo - after && records.at(-1)?.seq === upTo && Object.keys(conditions).length === 0;
}

interface DerivingSession {
	readonly cwd: string | undefined;
	readonly calls: Calls;
}

/**
 * Events derived from a message follow it in one transaction, so those missing after a message are the derived ones, in
 * order. Derives only once something is missing.
 */
class DerivedAgain {
	readonly #places = new Map<string, DerivingSession>();
	/** Messages not derived from yet. A later result may need their calls. */
	#waiting: EventRecord[] = [];
	#pending: EventRecord[] = [];

	take(record: EventRecord): void {
		if (record.type === "SessionStarted") {
			const cwd = textIn(record.payload, "cwd") ?? undefined;
			this.#places.set(sessionKey(record), { cwd, calls: this.#place(record).calls });
		}
		if (record.type !== "Message") return;
		this.#pending = [];
		this.#waiting.push(record);
		if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
	}

	/** The next event derived from the last message, with this seq. */
	next(seq: number): EventRecord | undefined {
		this.#catchUp();
		const event = this.#pending.shift();
		return event && { ...event, seq };
	}

	/** Skips the derived event for a record that an archive has. */
	pass(record: EventRecord): EventRecord {
		this.#catchUp();
		const at = this.#pending.findIndex(({ type, entry }) => type === record.type && entry === record.entry);
		if (at !== -1) this.#pending.splice(at, 1);
		return record;
	}

	#catchUp(): void {
		const waiting = this.#waiting;
		this.#waiting = [];
		for (const message of waiting) this.#pending = this.#derive(message);
	}

	#derive(message: EventRecord): EventRecord[] {
		const { seq, origin, session, host, ts, entry, payload } = message;
		const blob = textIn(payload, "blob") ?? undefined;
		const events = translateMessage({
			...this.#place(message),
			session: { session, host },
			ts,
			entry: entry ?? "",
			form: payload["form"] === "anthropic" ? "anthropic" : "pi",
			view: viewMessage(payload),
			blobOf: () => blob,
			raw: "",
		});
		return events
			.filter(({ type }) => isPrunable(type))
			.map((event) => ({
				seq: 0,
				// Only the archive knows the id.
				id: "",
				origin,
				session,
				host,
				ts,
				type: event.type,
				v: 1,
				cause: seq,
				entry: event.entry ?? null,
				// As it was stored, without undefined fields.
				payload: JSON.parse(JSON.stringify(event.payload)) as AnyPayload,
			}));
	}

	#place(record: EventRecord): DerivingSession {
		const known = this.#places.get(sessionKey(record)) ?? { cwd: undefined, calls: new Calls() };
		this.#places.set(sessionKey(record), known);
		return known;
	}
}
