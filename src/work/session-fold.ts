/**
 * Which sessions are at work, and which of them is the current one: that of the newest message or start. Several may
 * run at once; what belongs to one (intent, progress) is kept under its id, files and failures belong to the project.
 */

import { getKey, type Keyed, setKey, touch } from "../fold/keyed.ts";
import { textIn } from "../fold/payload.ts";
import type { StateFold } from "../fold/state-fold.ts";

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
	sessions: Keyed<SessionInfo>;
	/** By last use, the newest last; older ones than these are forgotten. */
	order: string[];
}

/** Sessions of which anything is kept in memory. */
export const KEPT_SESSIONS = 32;

export const sessionsFold: StateFold<SessionsState> = {
	name: "sessions",
	version: 1,
	initial: () => ({ current: null, sessions: {}, order: [] }),
	step(state, { type, session, host, seq, ts, payload }) {
		if (type !== "SessionStarted" && type !== "Message") return;
		let known = getKey(state.sessions, session);
		if (!known) {
			known = { session, host, cwd: null, root: null, startedTs: ts, lastSeq: seq, lastTs: ts };
			setKey(state.sessions, session, known);
		}
		known.lastSeq = seq;
		known.lastTs = ts;
		if (type === "SessionStarted") {
			known.cwd = textIn(payload, "cwd");
			known.root = textIn(payload, "root");
		}
		state.current = session;
		const forgotten = touch(state.order, session, KEPT_SESSIONS);
		if (forgotten !== undefined) delete state.sessions[forgotten];
	},
};
