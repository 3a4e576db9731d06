import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../session/tree.ts";

/** Events among which a message's own come, directly after it. */
const MOST_BEHIND = 256;
/** More events between the ends than this for each message: other sessions lie in between. */
const EVENTS_PER_MESSAGE = 20;

/**
 * The messages with these seqs, and what was recorded while they were the newest of their session: the events derived
 * from them, decisions, verdicts. In the order of the log; messages of other branches in between are left out.
 */
export function* stretchRecords(log: Log, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
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

function* eventsAround(log: Log, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
	const [first, last] = [messages[0], messages.at(-1)];
	if (first === undefined || last === undefined) return;
	// Asking for one session costs a look at all of it: only where that saves reading others.
	const mixed = last - first > messages.length * EVENTS_PER_MESSAGE;
	yield* log.read({ after: first - 1, upTo: last, session: mixed ? of.session : undefined });
	yield* log.read({ after: last, limit: MOST_BEHIND });
}
