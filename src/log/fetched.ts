/** Which sessions were fetched from a fleet. They are in the log to be looked at, and are not this machine's own work. */
import type { EventRecord } from "../event/types.ts";
import type { Log } from "./log.ts";

const FETCHED = "fetched";

type Named = Pick<EventRecord, "origin" | "session">;

/** Asks the log once, when the first event of another machine comes by. */
export function fetchedIn(log: Pick<Log, "meta" | "options">): (record: Named) => boolean {
	let fetched: ReadonlySet<string> | undefined;
	return (record) => {
		if (record.origin === log.options.origin) return false;
		fetched ??= readFetched(log);
		return fetched.has(nameOf(record));
	};
}

export function markFetched(log: Log, session: Named): void {
	log.transaction(() => {
		const known = readFetched(log);
		if (!known.has(nameOf(session))) log.setMeta(FETCHED, JSON.stringify([...known, nameOf(session)]));
	});
}

function readFetched(log: Pick<Log, "meta">): ReadonlySet<string> {
	const text = log.meta(FETCHED);
	return new Set(text === undefined ? [] : (JSON.parse(text) as string[]));
}

function nameOf({ origin, session }: Named): string {
	return `${origin} ${session}`;
}
