/** The sessions of a log, and how they belong together. */
import type { Log } from "../../log/log.ts";
import { foldSessions, sessionFold } from "./session-fold.ts";
import { isAgents, type SessionState } from "./session-state.ts";

/** All sessions, the last active first. If the table cannot be written, the missing events are folded in memory. */
export function listSessions(log: Log): SessionState[] {
	log.foldMissing();
	const known = log.tables.all<SessionState>("session_state", "SELECT * FROM session_state").sort(byActivity);
	if (!log.readOnly) return known;
	const after = log.tables.foldedTo(sessionFold.name);
	return [...foldSessions(log.read({ after }), known)].sort(byActivity);
}

function byActivity(one: SessionState, other: SessionState): number {
	return other.last_ts - one.last_ts || other.last_seq - one.last_seq;
}

/** A session's id and those of its side chains, which are named after it. */
export function withSideChains(log: Log, session: string): string[] {
	const isSide = (name: string) => name.startsWith(`${session}/`) || name.startsWith(`${session}--`);
	const sides = listSessions(log).flatMap((row) => (isSide(row.session) ? [row.session] : []));
	return [...new Set([session, ...sides])];
}

/** Sessions whose events count when one is viewed alone: its own, and those that weft and people wrote for all. */
export function scopeOf(log: Log, session: string): string[] {
	const common = listSessions(log).flatMap((row) => (isAgents(row) ? [] : [row.session]));
	return [...new Set([...withSideChains(log, session), ...common])];
}
