/** The sessions that were fetched from a fleet. They are in the log to be read and are not this machine's own work. */

import { one } from "../base/sqlite/rows.ts";
import { databaseOf } from "./database.ts";
import type { EventRecord } from "./event/types.ts";
import type { Log } from "./log.ts";

const FETCHED = "fetched";
const FETCHED_OWN = "fetched-own";

type FetchedSession = Pick<EventRecord, "origin" | "session">;

/** Reads the list at the first event of another machine. */
export function fetchedIn(log: Pick<Log, "meta" | "options">): (record: FetchedSession) => boolean {
	let fetched: ReadonlySet<string> | undefined;
	return (record) => {
		if (record.origin === log.options.origin) return false;
		fetched ??= readFetched(log);
		return fetched.has(nameOf(record));
	};
}

/** `isOwn`: the session counts as this machine's own work from now on. Returns true if that is new: the log must then be rebuilt. */
export function markFetched(log: Log, session: FetchedSession, { isOwn }: { readonly isOwn: boolean }): boolean {
	return log.transaction(() => {
		const [other, own] = [readFetched(log), readFetched(log, FETCHED_OWN)];
		const name = nameOf(session);
		const [to, from] = isOwn ? [own, other] : [other, own];
		if (to.has(name) || own.has(name)) return false;
		to.add(name);
		const isChanged = from.delete(name);
		log.setMeta(FETCHED, JSON.stringify([...other]));
		log.setMeta(FETCHED_OWN, JSON.stringify([...own]));
		return isChanged;
	});
}

/** Whether an event came from a fleet, own work or not: its missing blobs were lost elsewhere. */
export function cameFromFleet(log: Log): (record: FetchedSession) => boolean {
	const names = new Set(allFetched(log).map(nameOf));
	return (record) => names.has(nameOf(record));
}

/** All fetched sessions, own work or not. */
export function allFetched(log: Log): FetchedSession[] {
	return [...readFetched(log), ...readFetched(log, FETCHED_OWN)].map((name) => {
		const blank = name.indexOf(" ");
		return { origin: name.slice(0, blank), session: name.slice(blank + 1) };
	});
}

/** How many events after this seq came from other machines. Only events with an arrival can. */
export function countForeign(log: Log, after: number): number {
	const sql = `SELECT count(*) AS n FROM arrival JOIN event USING (seq)
		WHERE seq > ? AND origin IS NOT (SELECT id FROM word WHERE text = ?)`;
	return one<{ n: number }>(databaseOf(log).prepare(sql), after, log.options.origin)?.n ?? 0;
}

function readFetched(log: Pick<Log, "meta">, key = FETCHED): Set<string> {
	const text = log.meta(key);
	return new Set(text === undefined ? [] : (JSON.parse(text) as string[]));
}

function nameOf({ origin, session }: FetchedSession): string {
	return `${origin} ${session}`;
}
