import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log.ts";
import type { StateLog } from "./state-runner.ts";

/** What a walk reads events from. */
export type ReadableLog = Pick<Log, "read">;

/** A log as it was at an event that moves on: what came later does not exist yet. */
export function logUpTo(log: Log, upTo: () => number, sessions?: readonly string[]): StateLog {
	const { read } = sessions ? logOf(log, sessions) : log;
	return {
		readOnly: true,
		folder: log.folder,
		newestSeq: upTo,
		read: (query = {}) => read.call(log, { ...query, upTo: Math.min(query.upTo ?? upTo(), upTo()) }),
		hashAt: (seq) => log.hashAt(seq),
	};
}

/** The events of these sessions alone, in the order of the log: what others wrote costs nothing. */
export function logOf(log: ReadableLog, sessions: readonly string[]): ReadableLog {
	return {
		read: (query = {}) =>
			sessions.length === 1
				? log.read({ ...query, session: sessions[0] })
				: inOrder(sessions.map((session) => log.read({ ...query, session })[Symbol.iterator]())),
	};
}

function* inOrder(streams: readonly Iterator<EventRecord>[]): Generator<EventRecord> {
	const heads = streams.map((stream) => stream.next());
	for (;;) {
		let first = -1;
		for (const [at, head] of heads.entries()) {
			if (!head.done && (first < 0 || head.value.seq < (heads[first]!.value as EventRecord).seq)) first = at;
		}
		if (first < 0) return;
		yield heads[first]!.value as EventRecord;
		heads[first] = streams[first]!.next();
	}
}
