import { EngineError } from "../../base/error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import { isAgents, type SessionState } from "./session-state.ts";
import { listSessions } from "./sessions.ts";

const MAX_CHOICES = 5;

/** The sessions of agents, the last active first; not those under which weft itself and people at the command line write. */
export function agentSessions(log: Log): SessionState[] {
	return listSessions(log).filter(isAgents);
}

/**
 * The session that an id, or the beginning of one, names. A sub-agent's is named by the end of its id, from its last slash
 * on: the beginning that it shares with the session that it works for names that one.
 */
export function findSession(log: Log, given: string): SessionState {
	const known = listSessions(log);
	const exact = known.find(({ session }) => session === given);
	if (exact) return exact;
	const found = given === "" ? [] : known.filter(({ session }) => isNamedBy(session, given));
	const ids = [...new Set(found.map(({ session }) => session))];
	const [root, ...others] = ids.filter((id) => !id.includes("/"));
	if (root !== undefined && others.length === 0) return found.find(({ session }) => session === root)!;
	if (ids.length === 1) return found[0]!;
	if (ids.length === 0) {
		throw new EngineError(
			"not-found",
			`There is no session '${given}' in this project's log. 'weft sessions' lists them.`,
		);
	}
	const some = ids.slice(0, MAX_CHOICES).join(", ");
	throw new EngineError(
		"usage",
		`More than one session begins with '${given}': ${some}${ids.length > MAX_CHOICES ? ", …" : ""}.`,
	);
}

export function isNamedBy(session: string, given: string): boolean {
	return (given.startsWith("/") ? session.slice(session.lastIndexOf("/")) : session).startsWith(given);
}
