/** Where is the data, which sessions does it hold, and how fresh is it? */

import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { formatAgo, formatMinute } from "../base/text/time.ts";
import { countBySession } from "../log/counts.ts";
import type { Log } from "../log/log.ts";
import { countPruned, newestArrival } from "../log/retention/prune-history.ts";
import { sessionKey } from "../log/session-ref.ts";
import { agentSessions } from "../state/session/find-session.ts";
import { OWN_TYPES, type SessionState } from "../state/session/session-state.ts";
import { diskUse } from "./disk-use.ts";
import { type FleetState, fleetSentence } from "./fleet-state.ts";
import { sessionTitle, shortestNames } from "./short-session.ts";
import { renderPairs, renderRuled, type TextStyle } from "./text-style.ts";

const MAX_SESSIONS = 10;
const MAX_TITLE_COLUMNS = 72;

export interface Status {
	readonly folder: string;
	readonly events: number;
	/** Events that are in archives only. */
	readonly pruned: number;
	readonly bytes: number;
	/** The last active first. */
	readonly sessions: readonly (SessionState & { readonly events: number })[];
	/** null: the log is empty. */
	readonly lastWrite: LastWrite | null;
}

export interface LastWrite {
	readonly seq: number;
	readonly type: string;
	readonly host: string;
	readonly session: string;
	/** When it entered this log, ms since the epoch; an imported event happened long before. */
	readonly at: number;
}

export function readStatus(log: Log): Status {
	const events = new Map(countBySession(log).map((row) => [sessionKey(row), row.events]));
	const sessions = agentSessions(log).map((row) => ({ ...row, events: events.get(sessionKey(row)) ?? 0 }));
	return {
		folder: log.folder,
		events: log.count(),
		pruned: countPruned(log),
		bytes: diskUse(log).total,
		sessions,
		lastWrite: readLastWrite(log),
	};
}

function readLastWrite(log: Log): LastWrite | null {
	const [newest] = log.read({ order: "newest", limit: 1, everything: true });
	if (!newest) return null;
	const arrived = newestArrival(log);
	const written = writtenAt(newest.id);
	const isArrival = arrived !== undefined && (arrived.seq === newest.seq || arrived.at > written);
	const { seq, type, host, session } = (isArrival && log.get(arrived.seq)) || newest;
	// weft's own events of a session are recorded under the session's agent, whichever program asked for them.
	return { seq, type, host: OWN_TYPES.has(type) ? "weft" : host, session, at: isArrival ? arrived.at : written };
}

/** A UUIDv7 begins with the time at which it was made. */
export function writtenAt(id: string): number {
	return Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);
}

/** The JSON of `weft status`. */
export interface StatusView {
	readonly project: string;
	/** Where the data of all projects lies. */
	readonly home: string;
	/** undefined: no fleet is configured. */
	readonly fleet?: FleetState | undefined;
	/** How many other projects of this home have a log. */
	readonly others: number;
	/** null: nothing has been recorded for this project yet. */
	readonly log: (Omit<Status, "sessions"> & { readonly sessions: readonly StatusSession[] }) | null;
}

export interface StatusSession {
	readonly session: string;
	readonly host: string;
	readonly title: string | null;
	readonly cwd: string | null;
	readonly first: number;
	readonly last: number;
	readonly events: number;
	readonly messages: number;
}

export function viewStatus(
	place: Pick<StatusView, "project" | "home" | "others" | "fleet">,
	log: Log | null,
): StatusView {
	if (!log) return { ...place, log };
	const { sessions, lastWrite, ...rest } = readStatus(log);
	const rows = sessions.map(({ session, host, title, cwd, first_ts, last_ts, events, messages }) => {
		return { session, host, title, cwd, first: first_ts, last: last_ts, events, messages };
	});
	return { ...place, log: { ...rest, lastWrite, sessions: rows } };
}

function archived(pruned: number): string {
	return pruned === 0 ? "" : `; ${formatCount(pruned)} older ones in archives`;
}

export function* renderStatus(
	{ project, home, others, log, fleet }: StatusView,
	style: TextStyle,
	now: number,
): Generator<string> {
	if (!log) {
		yield* renderPairs(style, [
			["project", project],
			["data", home],
		]);
		yield "";
		yield "Nothing has been recorded for this project yet.";
		yield "  weft import          finds the sessions that your agents have, and asks";
		yield "  weft init            sets your agents up, so that new sessions are recorded";
		if (others > 0) {
			yield `This machine has sessions of ${plural(others, "other project")}.`;
			yield "  weft report          shows what they cost";
			yield "  weft sessions --all  lists them";
			yield "  weft inspect --open  shows them in your browser";
		}
		return;
	}
	const { lastWrite, sessions } = log;
	const written =
		lastWrite && `${formatAgo(lastWrite.at, now)}: event ${lastWrite.seq}, ${lastWrite.type}, by ${lastWrite.host}`;
	yield* renderPairs(style, [
		["project", project],
		["data", `${log.folder}  (${formatBytes(log.bytes)})`],
		["events", `${formatCount(log.events)} in ${plural(sessions.length, "session")}${archived(log.pruned)}`],
		["fresh", written ?? "empty"],
		...(fleet ? [["fleet", fleetSentence(fleet, now)] as const] : []),
	]);
	if (sessions.length === 0) return;
	yield "";
	const columns = [
		{ title: "title", shrink: true },
		{ title: "session" },
		{ title: "agent" },
		{ title: "last active" },
		{ title: "messages", align: "right" },
	] as const;
	const newest = sessions.slice(0, MAX_SESSIONS);
	const nameOf = shortestNames(sessions.map(({ session }) => session));
	const rows = newest.map((row) => [
		cutToWidth(oneLine(sessionTitle(row)), MAX_TITLE_COLUMNS),
		oneLine(nameOf(row.session)),
		row.host,
		formatMinute(row.last),
		formatCount(row.messages),
	]);
	yield* renderRuled(style, columns, rows);
	const more = sessions.length - MAX_SESSIONS;
	if (more > 0) yield style.paint("dim", `and ${plural(more, "more session")}: weft sessions lists them all`);
}
