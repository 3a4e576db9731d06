import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log.ts";
import type { StateLog } from "./state-runner.ts";

export type ReadableLog = Pick<Log, "read">;

/** A log as it was at an event that advances: later events do not exist yet. */
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

/**
 * A log as it would be with other events of one type: `made` in place of the recorded ones. Each is read once, before the
 * events that follow it.
 */
export function logWithMade<Source extends StateLog>(log: Source, type: string, made: EventRecord[]): Source {
	return {
		...log,
		*read(query) {
			yield* made.splice(0);
			for (const record of log.read(query)) if (record.type !== type) yield record;
		},
	};
}

/** The events of these sessions alone, in the order of the log. Other sessions cost nothing. */
export function logOf(log: ReadableLog, sessions: readonly string[]): ReadableLog {
	return {
		read: (query = {}) =>
			sessions.length === 1
				? log.read({ ...query, session: sessions[0] })
				: inOrder(sessions.map((session) => log.read({ ...query, session })[Symbol.iterator]())),
	};
}

function* inOrder(streams: readonly Iterator<EventRecord>[]): Generator<EventRecord> {
	const heads = streams.map((stream) => ({ stream, next: stream.next() }));
	for (;;) {
		let first: { readonly head: (typeof heads)[number]; readonly record: EventRecord } | undefined;
		for (const head of heads) {
			if (head.next.done) continue;
			const record = head.next.value;
			if (!first || record.seq < first.record.seq) first = { head, record };
		}
		if (!first) return;
		yield first.record;
		first.head.next = first.head.stream.next();
	}
}
