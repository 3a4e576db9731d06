/** Where is the data, which sessions does it hold, and how fresh is it? */
import { countBySession } from "../log/counts.ts";
import type { Log } from "../log/log.ts";
import type { SessionState } from "../session/fold.ts";
import { diskUse } from "./disk.ts";
import { agentSessions } from "./session.ts";

export interface Status {
	readonly folder: string;
	readonly events: number;
	readonly bytes: number;
	/** Freshest first. */
	readonly sessions: readonly (SessionState & { readonly events: number })[];
	/** null: the log is empty. */
	readonly lastWrite: LastWrite | null;
}

export interface LastWrite {
	readonly seq: number;
	readonly type: string;
	readonly host: string;
	readonly session: string;
	/** When it was written, ms since the epoch; an imported event happened long before. */
	readonly at: number;
}

export function readStatus(log: Log): Status {
	const events = new Map(countBySession(log).map((row) => [`${row.host} ${row.session}`, row.events]));
	const sessions = agentSessions(log).map((row) => ({ ...row, events: events.get(`${row.host} ${row.session}`) ?? 0 }));
	const [newest] = log.read({ order: "newest", limit: 1 });
	return {
		folder: log.folder,
		events: log.count(),
		bytes: diskUse(log).total,
		sessions,
		lastWrite: newest
			? { seq: newest.seq, type: newest.type, host: newest.host, session: newest.session, at: writtenAt(newest.id) }
			: null,
	};
}

/** A UUIDv7 begins with the time at which it was made. */
export function writtenAt(id: string): number {
	return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}
