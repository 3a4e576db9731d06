import type { EventRecord } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { ReadQuery } from "../../log/types.ts";

/** A message's own events are among this many after it. */
const MAX_BEHIND = 256;
/** More events per message than this: other sessions lie in between. */
const EVENTS_PER_MESSAGE = 20;

type StretchQuery = Pick<ReadQuery, "after" | "upTo" | "session" | "limit">;

/** The part of the log that reads events in order. */
export interface StretchReader {
	read(query?: StretchQuery): Iterable<EventRecord>;
}

/**
 * A reader with the events around these messages in memory, for reading them again and again, in parts. Returns the log
 * itself if events of other sessions lie between them.
 */
export function holdEvents(log: StretchReader, messages: readonly number[]): StretchReader {
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
 * The messages with these seqs, and the events recorded while each was the newest of its session: derived events,
 * decisions, verdicts. In the order of the log, without messages of other branches.
 */
export function* stretchRecords(
	log: StretchReader,
	of: SessionRef,
	messages: readonly number[],
): Generator<EventRecord> {
	const wanted = new Set(messages);
	const last = messages.at(-1) ?? 0;
	let inside = false;
	for (const record of eventsAround(log, of, messages)) {
		if (record.session !== of.session) continue;
		if (record.type === "Message" && record.host === of.host) {
			if (record.seq > last) return;
			inside = wanted.has(record.seq);
		}
		const belongs = record.type === "Message" || record.cause === null ? inside : wanted.has(record.cause);
		if (belongs) yield record;
	}
}

function* eventsAround(log: StretchReader, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
	const [first, last] = [messages[0], messages.at(-1)];
	if (first === undefined || last === undefined) return;
	// Reading one session scans all its events: worth it only if it skips other sessions.
	const session = isMixed(first, last, messages.length) ? of.session : undefined;
	yield* log.read({ after: first - 1, upTo: last, session });
	yield* log.read({ after: last, limit: MAX_BEHIND });
}

function isMixed(first: number, last: number, messages: number): boolean {
	return last - first > messages * EVENTS_PER_MESSAGE;
}
