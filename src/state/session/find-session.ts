import { EngineError } from "../../base/error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import { isWithin } from "../../log/search/filter.ts";
import type { SessionFilter } from "../../log/search/types.ts";
import { foldSessions, sessionFold } from "./session-fold.ts";
import { isAgents, type SessionState } from "./session-state.ts";

const MAX_CHOICES = 5;

/** Agents' sessions, the last active first. Leaves out those under which weft itself and people at the command line write. */
export function agentSessions(log: Log): SessionState[] {
	return listSessions(log).filter(isAgents);
}

/** The session that is meant: the one that `given` names, or else the freshest one. */
export function chooseSession(log: Log, given: string | undefined): SessionState {
	if (given !== undefined) return findSession(log, given);
	const freshest = freshestSession(log);
	if (freshest && freshest.messages > 0) return freshest;
	throw new EngineError("not-found", "The log has no session with messages yet. 'weft import FILE' imports one.");
}

/** The last active session with messages; while no session has any, the last active one. */
export function freshestSession(log: Log, within: SessionFilter = "all"): SessionState | undefined {
	const sessions = agentSessions(log).filter(({ session }) => isWithin(within, session));
	return sessions.find(({ messages }) => messages > 0) ?? sessions[0];
}

/** As `findSession`; undefined where no session was named. */
export function findNamedSession(log: Log, given: string | undefined): SessionState | undefined {
	return given === undefined ? undefined : findSession(log, given);
}

/**
 * The session that an id, or the beginning of one, names. A sub-agent's session is named by the end of its id, from the last
 * slash on: it shares its beginning with the session that it works for, and that beginning names the latter.
 */
export function findSession(log: Log, given: string, within: SessionFilter = "all"): SessionState {
	const all = listSessions(log).filter(({ session }) => isWithin(within, session));
	const found = sessionsNamed(all, given);
	const exact = found.find(({ session }) => session === given);
	if (exact) return exact;
	const roots = found.filter(({ session }) => !session.includes("/"));
	const ids = new Set(found.map(({ session }) => session));
	const [only] = new Set(roots.map(({ session }) => session)).size === 1 ? roots : ids.size === 1 ? found : [];
	if (only) return only;
	if (ids.size === 0)
		throw new EngineError(
			"not-found",
			`There is no session '${given}' in this project's log. 'weft sessions' lists them.`,
		);
	const some = [...ids].slice(0, MAX_CHOICES).join(", ");
	throw new EngineError(
		"usage",
		`More than one session begins with '${given}': ${some}${ids.size > MAX_CHOICES ? ", …" : ""}.`,
	);
}

/** The sessions of the list that an id, or the beginning of one, may name. */
export function sessionsNamed<Session extends { readonly session: string }>(
	sessions: readonly Session[],
	given: string,
): Session[] {
	if (given === "") return [];
	const isNamed = (session: string) =>
		(given.startsWith("/") ? session.slice(session.lastIndexOf("/")) : session).startsWith(given);
	return sessions.filter(({ session }) => isNamed(session));
}

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
