/**
 * Detects an agent going in circles: the same call with the same result, again and again, with no change in between.
 * Counted per session and call. A changed file, a command that changes things, or a new request of the user resets the
 * count.
 */

import { sha256 } from "../base/hash/sha256.ts";
import { alters } from "../base/shell/kind.ts";
import { parseCommand } from "../base/shell/parse.ts";
import { unwrap } from "../base/shell/unwrap.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../log/fold/keyed.ts";
import type { StateFold } from "../log/fold/state-fold.ts";
import { sessionKey } from "../log/session-ref.ts";
import { withoutNotes } from "../message/note.ts";
import { viewMessage } from "../message/view.ts";
import { outlineInput } from "../state/session/derived-events.ts";
import type { GuardCall } from "./types.ts";
import { inputHash } from "./verdict.ts";

export interface LoopState {
	sessions: Recent<{
		/** Call id → its key, until the result comes. */
		open: Recent<string>;
		calls: Recent<{ result: string; count: number }>;
	}>;
}

const MAX_SESSIONS = 16;
const MAX_OPEN = 64;
const MAX_CALLS = 64;
const NOTE_FROM = 3;
const MAX_HASHED_CHARS = 100_000;

export const loopFold: StateFold<LoopState> = {
	name: "guard-loop",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (isA(record, "ToolCalled")) {
			const { tool, callId, input } = record.payload;
			putRecent(sessionOf(state, record).open, callId, callKey(tool, input), MAX_OPEN);
		} else if (isA(record, "Message")) countResults(state, record);
		else if (isA(record, "FileChanged") || isA(record, "UserIntent")) forgetCalls(state, record);
		else if (isA(record, "CommandRun") && mayAlter(record.payload.command)) forgetCalls(state, record);
	},
};

/** A note if this result is the third equal one or more; `text` is the result as it will be recorded, without notes. */
export function loopNote(state: LoopState, call: GuardCall, text: string): string | undefined {
	const session = getRecent(state.sessions, sessionKey(call));
	const known = session && getRecent(session.calls, callKey(call.tool, outlineInput(call.input)));
	const count = known?.result === resultKey(text) ? known.count + 1 : 1;
	if (count < NOTE_FROM) return undefined;
	return `The same call has given the same result ${count} times, and nothing changed in between. Try something else.`;
}

function countResults(state: LoopState, record: EventRecord): void {
	const session = getRecent(state.sessions, sessionKey(record));
	// Most messages do not answer a call and are skipped.
	if (!session || session.open.count === 0 || record.payload["role"] === "assistant") return;
	for (const block of viewMessage(record.payload).blocks) {
		if (block.kind !== "result") continue;
		const key = getRecent(session.open, block.callId);
		if (key === undefined) continue;
		dropRecent(session.open, block.callId);
		const result = resultKey(block.text);
		const known = getRecent(session.calls, key);
		putRecent(session.calls, key, { result, count: known?.result === result ? known.count + 1 : 1 }, MAX_CALLS);
	}
}

function callKey(tool: string, outline: unknown): string {
	return sha256(`${tool.toLowerCase()} ${inputHash(outline)}`).slice(0, 16);
}

/** Durations and times of day differ each time and mean nothing. */
function resultKey(text: string): string {
	const said = withoutNotes(text).slice(0, MAX_HASHED_CHARS);
	const plain = said.replace(/\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds|µs|ns)\b|\b\d\d:\d\d:\d\d(?:[.,]\d+)?\b/g, "#");
	return sha256(plain).slice(0, 16);
}

function mayAlter(command: string): boolean {
	return parseCommand(command).commands.some(({ words, redirects }) => alters(unwrap(words).words, redirects));
}

function forgetCalls(state: LoopState, record: EventRecord): void {
	const session = getRecent(state.sessions, sessionKey(record));
	if (session && session.calls.count > 0) session.calls = emptyRecent();
}

function sessionOf(state: LoopState, record: EventRecord) {
	const session = getRecent(state.sessions, sessionKey(record)) ?? { open: emptyRecent(), calls: emptyRecent() };
	putRecent(state.sessions, sessionKey(record), session, MAX_SESSIONS);
	return session;
}
