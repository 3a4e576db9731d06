/** What the user wants, per session: the newest request and those before it. */

import { getKey, type Keyed, setKey, touch } from "../fold/keyed.ts";
import { textIn } from "../fold/payload.ts";
import type { StateFold } from "../fold/state-fold.ts";
import { handleOf } from "../log/handle.ts";
import { KEPT_SESSIONS } from "./session-fold.ts";

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
	sessions: Keyed<SessionIntent>;
	order: string[];
}

const KEPT_EARLIER = 10;

export const intentFold: StateFold<IntentState> = {
	name: "intent",
	version: 2,
	initial: () => ({ sessions: {}, order: [] }),
	step(state, record) {
		const { type, session, ts, payload } = record;
		const text = type === "UserIntent" ? textIn(payload, "text") : null;
		if (text === null) return;
		const intent = { handle: handleOf(record), ts, text };
		const known = getKey(state.sessions, session);
		if (known) {
			known.earlier.push(known.current);
			if (known.earlier.length > KEPT_EARLIER) known.earlier.shift();
			known.current = intent;
			known.count++;
		} else {
			setKey(state.sessions, session, { current: intent, earlier: [], count: 1 });
		}
		const forgotten = touch(state.order, session, KEPT_SESSIONS);
		if (forgotten !== undefined) delete state.sessions[forgotten];
	},
};
