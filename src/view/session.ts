import { EngineError } from "../error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { isAgents, listSessions, type SessionState } from "../session/fold.ts";

const MOST_CHOICES = 5;

/** The sessions of agents, the last active first; not those under which weft itself and people at the command line write. */
export function agentSessions(log: Log): SessionState[] {
	return listSessions(log).filter(isAgents);
}

/** The session that an id, or the beginning of one, names. */
export function findSession(log: Log, given: string): SessionState {
	const known = listSessions(log);
	const exact = known.find(({ session }) => session === given);
	if (exact) return exact;
	const found = given === "" ? [] : known.filter(({ session }) => session.startsWith(given));
	const ids = [...new Set(found.map(({ session }) => session))];
	if (ids.length === 1) return found[0]!;
	if (ids.length === 0) {
		throw new EngineError(
			"not-found",
			`There is no session '${given}' in this project's log. 'weft sessions' lists them.`,
		);
	}
	const some = ids.slice(0, MOST_CHOICES).join(", ");
	throw new EngineError(
		"usage",
		`More than one session begins with '${given}': ${some}${ids.length > MOST_CHOICES ? ", …" : ""}.`,
	);
}

/** The beginning of a session's id that people see in lists; ids of files and v7 UUIDs differ late, so it is not short. */
export function shortSession(session: string): string {
	return session.length > 13 ? session.slice(0, 13) : session;
}
