import type { EventRecord } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ReadQuery } from "../../log/types.ts";

/** Events among which a message's own come, directly after it. */
const MAX_BEHIND = 256;
/** More events between the ends than this for each message: other sessions lie in between. */
const EVENTS_PER_MESSAGE = 20;

type StretchQuery = Pick<ReadQuery, "after" | "upTo" | "session" | "limit">;

/** The log, as far as events are read in its order. */
export interface EventReader {
	read(query?: StretchQuery): Iterable<EventRecord>;
}

/**
 * The log with the events around these messages held in memory: for whoever reads them again and again, in parts. The log
 * itself where others of its sessions lie between them.
 */
export function holdEvents(log: EventReader, messages: readonly number[]): EventReader {
	const [first, last] = [messages[0], messages.at(-1)];
	if (first === undefined || last === undefined || isMixed(first, last, messages.length)) return log;
	const after = first - 1;
	const held = [...log.read({ after, upTo: last })];
	return {
		*read(query: StretchQuery = {}) {
			const { after: from = 0, upTo = Number.POSITIVE_INFINITY, session, limit = Number.POSITIVE_INFINITY } = query;
			let left = limit;
			if (from >= after) {
				for (const record of held) {
					if (record.seq <= from || (session !== undefined && record.session !== session)) continue;
					if (record.seq > upTo || left-- <= 0) return;
					yield record;
				}
			}
			const start = from >= after ? Math.max(from, last) : from;
			if (start < upTo && left > 0) yield* log.read({ ...query, after: start, limit: left });
		},
	};
}

/**
 * The messages with these seqs, and what was recorded while they were the newest of their session: the events derived
 * from them, decisions, verdicts. In the order of the log; messages of other branches in between are left out.
 */
export function* stretchRecords(log: EventReader, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
	const wanted = new Set(messages);
	let inside = false;
	for (const record of eventsAround(log, of, messages)) {
		if (record.session !== of.session) continue;
		if (record.type === "Message" && record.host === of.host) {
			if (record.seq > messages.at(-1)!) return;
			inside = wanted.has(record.seq);
		}
		const belongs = record.type === "Message" || record.cause === null ? inside : wanted.has(record.cause);
		if (belongs) yield record;
	}
}

function* eventsAround(log: EventReader, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
	const [first, last] = [messages[0], messages.at(-1)];
	if (first === undefined || last === undefined) return;
	// Asking for one session costs a look at all of it: only where that saves reading others.
	const session = isMixed(first, last, messages.length) ? of.session : undefined;
	yield* log.read({ after: first - 1, upTo: last, session });
	yield* log.read({ after: last, limit: MAX_BEHIND });
}

function isMixed(first: number, last: number, messages: number): boolean {
	return last - first > messages * EVENTS_PER_MESSAGE;
}
