/** The conversation of a session, as far as a seed needs it. */
import { getRecent, type Recent } from "../../log/fold/keyed.ts";

export interface Quote {
	readonly handle: string;
	readonly text: string;
}

export interface SessionConversation {
	/** The first request of the session, usually the task. */
	task: Quote | null;
	/** Messages that ask for something, the newest last. */
	users: Quote[];
	/** Number of requests in all. */
	userCount: number;
	/** The newest checklist in a message or a call. */
	plan: Quote | null;
	/** The agent's newest remarks, the newest last. */
	remarks: Quote[];
}

export interface ConversationState {
	sessions: Recent<SessionConversation>;
}

export function conversationIn(state: ConversationState, session: string): SessionConversation | undefined {
	return getRecent(state.sessions, session);
}
