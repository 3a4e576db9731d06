/**
 * Which sessions still have to be consolidated: those with messages that no consolidation covers. A process that was killed could
 * not say that it owes something, so the messages say it.
 */
import { asInteger, asText } from "../../base/json/read.ts";
import { emptyRecent, getRecent, newestFirst, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";

interface OwedSession {
	readonly session: string;
	readonly host: string;
	/** weft keeps its memory: an imported session owes nothing. */
	isKept: boolean;
	/** seq and time of the newest message. */
	newest: number;
	ts: number;
	/** seq up to which the state has consolidated, and a model. */
	byState: number;
	byModel: number;
	/** seq up to which a boundary asked for it, and why. */
	owed: number;
	why: string;
}

export interface OwedState {
	/** By host and session. */
	sessions: Recent<OwedSession>;
}

const MAX_SESSIONS = 64;

export const owedFold: StateFold<OwedState> = {
	name: "owed",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, { type, session, host, payload, seq, ts }) {
		const isMessage = type === "Message" && (payload["role"] === "user" || payload["role"] === "assistant");
		const isKept = type === "MemoryWrite" && payload["file"] === "session";
		if (!isMessage && !isKept && type !== "Consolidation") return;
		const key = sessionKey({ host, session });
		const known = getRecent(state.sessions, key) ?? {
			session,
			host,
			isKept: false,
			newest: 0,
			ts: 0,
			byState: 0,
			byModel: 0,
			owed: 0,
			why: "",
		};
		const upTo = asInteger(payload["upTo"]) ?? 0;
		if (isKept) known.isKept = true;
		else if (isMessage) {
			known.newest = seq;
			known.ts = ts;
		} else if (payload["state"] === "owed") {
			known.owed = upTo;
			known.why = asText(payload["why"]) ?? "";
		} else if (payload["by"] === "state") known.byState = upTo;
		else known.byModel = upTo;
		putRecent(state.sessions, key, known, MAX_SESSIONS);
	},
};

export function owedBy(state: OwedState, session: SessionRef): Readonly<OwedSession> | undefined {
	return getRecent(state.sessions, sessionKey(session));
}

/** Sessions with messages that the state has not consolidated, the newest first. */
export function owedToState(state: OwedState): Readonly<OwedSession>[] {
	return [...newestFirst(state.sessions)].flatMap(([, each]) =>
		each.isKept && each.newest > each.byState ? [each] : [],
	);
}

/** Sessions that ended or were compacted since a model consolidated them, the newest first. */
export function owedToModel(state: OwedState): Readonly<OwedSession>[] {
	return [...newestFirst(state.sessions)].flatMap(([, each]) => (each.owed > each.byModel ? [each] : []));
}
