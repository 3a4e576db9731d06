import { EngineError } from "../../base/error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import { isAgents, type SessionState } from "./session-state.ts";
import { listSessions } from "./sessions.ts";

const MAX_CHOICES = 5;

/** Agents' sessions, the last active first. Leaves out those under which weft itself and people at the command line write. */
export function agentSessions(log: Log): SessionState[] {
	return listSessions(log).filter(isAgents);
}

/**
 * Finds a session by its id or the start of one. A sub-agent's session goes by the part from the last slash on, because
 * it shares the rest with its parent's.
 */
export function findSession(log: Log, given: string): SessionState {
	const known = listSessions(log);
	const exact = known.find(({ session }) => session === given);
	if (exact) return exact;
	const found = given === "" ? [] : known.filter(({ session }) => isNamedBy(session, given));
	const ids = [...new Set(found.map(({ session }) => session))];
	const [root, ...others] = ids.filter((id) => !id.includes("/"));
	const isOne = ids.length === 1 || (root !== undefined && others.length === 0);
	const named = isOne ? found.find(({ session }) => session === (root ?? ids[0])) : undefined;
	if (named) return named;
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
