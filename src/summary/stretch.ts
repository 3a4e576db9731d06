import type { EventRecord } from "../event/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../transcript/tree.ts";

/**
 * The messages with these seqs, and what was recorded while they were the newest of their session: the events derived
 * from them, decisions, verdicts. In the order of the log; messages of other branches in between are left out.
 */
export function* stretchRecords(log: Log, of: SessionRef, messages: readonly number[]): Generator<EventRecord> {
	const [first, last] = [messages[0], messages.at(-1)];
	if (first === undefined || last === undefined) return;
	const wanted = new Set(messages);
	let inside = false;
	for (const record of log.read({ session: of.session, after: first - 1 })) {
		if (record.type === "Message" && record.host === of.host) {
			if (record.seq > last) return;
			inside = wanted.has(record.seq);
		}
		const belongs = record.type === "Message" || record.cause === null ? inside : wanted.has(record.cause);
		if (belongs) yield record;
	}
}
