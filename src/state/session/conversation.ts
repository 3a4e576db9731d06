/** What a session's user and agent said, as far as a seed needs it. */
import { getRecent, type Recent } from "../../log/fold/keyed.ts";

export interface Said {
	readonly handle: string;
	readonly text: string;
}

export interface SessionSaid {
	/** The first request of the session: the task, as a rule. */
	task: Said | null;
	/** Those that ask for something, the newest last. */
	users: Said[];
	/** How many requests there were in all. */
	userCount: number;
	/** The newest checklist that stood in a message or a call. */
	plan: Said | null;
	/** The agent's newest remarks, the newest last. */
	remarks: Said[];
}

export interface SaidState {
	sessions: Recent<SessionSaid>;
}

export function saidIn(state: SaidState, session: string): SessionSaid | undefined {
	return getRecent(state.sessions, session);
}
