/**
 * Which sessions are at work, and which one is current: that of the newest message or start. Several may run at once.
 * Intent and progress are kept per session; files and failures belong to the project.
 */

import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";

export interface SessionInfo {
	readonly session: string;
	readonly host: string;
	cwd: string | null;
	root: string | null;
	startedTs: number;
	lastSeq: number;
	lastTs: number;
}

export interface SessionsState {
	current: string | null;
	sessions: Recent<SessionInfo>;
}

/** State is kept for this many sessions. */
export const MAX_SESSIONS = 32;

export const sessionsFold: StateFold<SessionsState> = {
	name: "sessions",
	version: 2,
	initial: () => ({ current: null, sessions: emptyRecent() }),
	step(state, { type, session, host, seq, ts, payload }) {
		if (type !== "SessionStarted" && type !== "Message") return;
		const fresh = { session, host, cwd: null, root: null, startedTs: ts, lastSeq: seq, lastTs: ts };
		const known: SessionInfo = getRecent(state.sessions, session) ?? fresh;
		known.lastSeq = seq;
		known.lastTs = ts;
		if (type === "SessionStarted") {
			known.cwd = textIn(payload, "cwd");
			known.root = textIn(payload, "root");
		}
		state.current = session;
		putRecent(state.sessions, session, known, MAX_SESSIONS);
	},
};
