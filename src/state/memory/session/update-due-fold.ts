/** Counts what happened in a session since its SESSION.md was written, to decide when to write it again. */

import { tokensOfBytes } from "../../../base/tokens/estimate.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../../log/fold/keyed.ts";
import { numberIn, type StateFold } from "../../../log/fold/state-fold.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import { messageText, viewMessage } from "../../../message/view.ts";

export interface SinceUpdate {
	/** Answers that ended a run. */
	exchanges: number;
	calls: number;
	/** A file was changed by the agent. */
	isChanged: boolean;
	/** The user said something while the agent worked. */
	isSteered: boolean;
	bytes: number;
	/** The agent has called a tool and not answered yet. */
	isWorking: boolean;
}

export interface DueState {
	/** By host and session. */
	sessions: Recent<SinceUpdate>;
}

const MAX_SESSIONS = 32;
const EXCHANGES = 2;
/** In talk every message is a new request, and nothing depends on the file while the conversation goes on. */
const TALK_EXCHANGES = 20;
const CALLS = 4;
const NEW_TOKENS = 20_000;

export const dueFold: StateFold<DueState> = {
	name: "due",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, { type, session, host, payload }) {
		// The empty file of the beginning does not count.
		const isOurs = type === "MemoryWrite" && payload["file"] === "session" && payload["why"] !== "begin";
		if (!isOurs && !COUNTED.has(type)) return;
		const key = sessionKey({ host, session });
		const since = getRecent(state.sessions, key) ?? nothing(false);
		if (isOurs) putRecent(state.sessions, key, nothing(since.isWorking), MAX_SESSIONS);
		else {
			count(since, type, payload);
			putRecent(state.sessions, key, since, MAX_SESSIONS);
		}
	},
};

const COUNTED: ReadonlySet<string> = new Set(["Message", "ToolCalled", "ToolResult", "FileChanged"]);

function count(since: SinceUpdate, type: string, payload: Readonly<Record<string, unknown>>): void {
	if (type === "ToolCalled") since.calls++;
	else if (type === "ToolResult") since.bytes += numberIn(payload, "chars") ?? 0;
	else if (type === "FileChanged") since.isChanged ||= payload["actor"] !== "other";
	else if (payload["role"] === "user" || payload["role"] === "assistant") {
		const view = viewMessage(payload);
		since.bytes += messageText(view).length;
		if (view.role === "user") since.isSteered ||= since.isWorking && !view.injected;
		else {
			since.isWorking = view.blocks.some(({ kind }) => kind === "call");
			if (!since.isWorking) since.exchanges++;
		}
	}
}

function nothing(isWorking: boolean): SinceUpdate {
	return { exchanges: 0, calls: 0, isChanged: false, isSteered: false, bytes: 0, isWorking };
}

export function sinceUpdate(
	state: DueState,
	{ session, host }: { readonly session: string; readonly host: string },
): SinceUpdate {
	return getRecent(state.sessions, sessionKey({ host, session })) ?? nothing(false);
}

/** Due after two exchanges, four calls, a change and an answer, words of the user during work, or many tokens. */
export function isUpdateDue(since: SinceUpdate, { isTalk = false } = {}): boolean {
	const hasAnswered = since.exchanges > 0;
	return (
		since.exchanges >= (isTalk ? TALK_EXCHANGES : EXCHANGES) ||
		since.calls >= CALLS ||
		since.isSteered ||
		(since.isChanged && hasAnswered) ||
		isUpdateUrgent(since)
	);
}

/** Enough tokens to write in the middle of a run. */
export function isUpdateUrgent({ bytes }: SinceUpdate): boolean {
	return tokensOfBytes(bytes) >= NEW_TOKENS;
}

/** True: anything happened. */
export function isTouched({ exchanges, calls, isSteered, bytes }: SinceUpdate): boolean {
	return exchanges > 0 || calls > 0 || isSteered || bytes > 0;
}
