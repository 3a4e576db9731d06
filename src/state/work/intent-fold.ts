/** Each session's newest request and those before it. */

import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { isRequest } from "../session/intent.ts";
import { MAX_SESSIONS } from "./current-session-fold.ts";

export interface Intent {
	readonly handle: string;
	readonly ts: number;
	readonly text: string;
}

export interface SessionIntent {
	current: Intent;
	/** The newest last. */
	earlier: Intent[];
	count: number;
}

export interface IntentState {
	sessions: Recent<SessionIntent>;
}

const MAX_EARLIER = 10;

export const intentFold: StateFold<IntentState> = {
	name: "intent",
	version: 4,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		const { type, session, ts, payload } = record;
		const text = type === "UserIntent" ? textIn(payload, "text") : null;
		if (text === null || !isRequest(text)) return;
		const intent = { handle: handleOf(record), ts, text };
		const known = getRecent(state.sessions, session);
		const earlier = known ? [...known.earlier, known.current].slice(-MAX_EARLIER) : [];
		const next = { current: intent, earlier, count: (known?.count ?? 0) + 1 };
		putRecent(state.sessions, session, next, MAX_SESSIONS);
	},
};
