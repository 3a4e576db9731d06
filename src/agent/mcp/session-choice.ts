/** Chooses the session that a question is about: the one that the agent names, or else the project's newest. */
import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { freshestSession } from "../../state/session/find-session.ts";
import { shortSession } from "../../view/short-session.ts";

export interface SessionChoice {
	readonly ref: SessionRef;
	/** True: the agent named none, so it is the newest. */
	readonly isGuess: boolean;
}

const NONE: SessionChoice = { ref: { session: "-", host: "-" }, isGuess: true };

export function chooseSession(engine: Engine, named: SessionRef | undefined): SessionChoice {
	if (named) return { ref: named, isGuess: false };
	const newest = freshestSession(engine.log, engine.scope(NONE.ref).searched);
	return newest ? { ref: { session: newest.session, host: newest.host }, isGuess: true } : NONE;
}

/** One line that says which session an answer is about. `canName`: the tool has an argument for another one. */
export function renderChoice({ ref, isGuess }: SessionChoice, { canName = false } = {}): string {
	if (ref === NONE.ref) return "[No session of this project is recorded yet.]";
	const name = `${shortSession(ref.session)} (${ref.host})`;
	const other = canName ? " The argument session names another one." : "";
	return isGuess
		? `[This is about the session ${name}: the newest of this project.${other}]`
		: `[This is about the session ${name}, in which you work.]`;
}
