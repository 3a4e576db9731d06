import { EngineError } from "../../base/error/engine-error.ts";
import type { Log } from "../../log/log.ts";
import { agentSessions, findSession } from "../../state/session/find-session.ts";
import type { SessionState } from "../../state/session/session-state.ts";

/** The session that a person names, or else the last active one with messages. */
export function pickSession(log: Log, given: string | undefined): SessionState {
	if (given !== undefined) return findSession(log, given);
	const freshest = agentSessions(log).find(({ messages }) => messages > 0);
	if (freshest) return freshest;
	throw new EngineError("not-found", "The log holds no session with messages yet. 'weft import FILE' reads one in.");
}
