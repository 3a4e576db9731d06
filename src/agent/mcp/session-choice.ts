/** Whose history is asked for: the session that the agent names, else the one of the project that was active last. */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { agentSessions } from "../../state/session/find-session.ts";
import { shortSession } from "../../view/short-session.ts";

export interface WhichSession {
	readonly ref: SessionRef;
	/** True: nobody told; it is the newest. */
	readonly isGuess: boolean;
}

const NONE: WhichSession = { ref: { session: "-", host: "-" }, isGuess: true };

export function whichSession(engine: Engine, told: SessionRef | undefined): WhichSession {
	if (told) return { ref: told, isGuess: false };
	const newest = agentSessions(engine.log)[0];
	return newest ? { ref: { session: newest.session, host: newest.host }, isGuess: true } : NONE;
}

/** One line for whoever reads an answer about a session that nobody named. `canName`: what was called takes another one. */
export function sayWhich({ ref, isGuess }: WhichSession, { canName = false } = {}): string {
	if (ref === NONE.ref) return "[No session of this project is recorded yet.]";
	const name = `${shortSession(ref.session)} (${ref.host})`;
	const other = canName ? " The argument session names another one." : "";
	return isGuess
		? `[This is about the session ${name}: the newest of this project.${other}]`
		: `[This is about the session ${name}, in which you work.]`;
}
