/**
 * Text that the agent has read and is about to work on. Agents read ten files and then edit them; a seal in between takes the
 * text away just before it is needed. Counted per session: a change of a file ends its reading, unless the open work names
 * the file; a seal ends them all.
 */
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getRecent, newestFirst, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { linesRead, TOKENS_PER_LINE } from "./reread-fold.ts";

interface ReadingSession {
	/** Messages so far. */
	messages: number;
	files: Recent<ReadFile>;
}

interface ReadFile {
	readonly tokens: number;
	/** Messages of the session when it was read last. */
	readonly at: number;
	/** It was changed since. */
	readonly isChanged?: boolean;
}

export interface OpenReadingState {
	sessions: Recent<ReadingSession>;
}

const KEPT_SESSIONS = 64;
const KEPT_FILES = 64;
/** Text that was read longer ago was read for something else. A plan of many files takes a hundred rounds. */
const MAX_AGE_MESSAGES = 250;
/** An agent does not edit all of a long file. */
const MAX_FILE_TOKENS = 6_000;

export const openReadingFold: StateFold<OpenReadingState> = {
	name: "openReading",
	version: 2,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		switch (record.type) {
			case "Message":
				sessionIn(state, record.session).messages++;
				return;
			case "FileRead":
				return addReading(sessionIn(state, record.session), record);
			case "FileChanged": {
				const session = getRecent(state.sessions, record.session);
				const path = textIn(record.payload, "path") ?? "";
				const file = session && getRecent(session.files, path);
				if (session && file) putRecent(session.files, path, { ...file, isChanged: true }, KEPT_FILES);
				return;
			}
			case "Seal": {
				const session = getRecent(state.sessions, record.session);
				if (session) session.files = emptyRecent();
			}
		}
	},
};

/** Tokens of the text that a session has read lately and not yet changed. `isNamed`: the open work names the file. */
export function openReading(
	state: OpenReadingState,
	session: string,
	isNamed: (path: string) => boolean = () => false,
): number {
	const reading = getRecent(state.sessions, session);
	if (!reading) return 0;
	const oldest = reading.messages - MAX_AGE_MESSAGES;
	let sum = 0;
	for (const [path, { tokens, at, isChanged }] of newestFirst(reading.files)) {
		if (at >= oldest && (!isChanged || isNamed(path))) sum += tokens;
	}
	return sum;
}

/** Messages of a session so far. */
export function messagesIn(state: OpenReadingState, session: string): number {
	return getRecent(state.sessions, session)?.messages ?? 0;
}

function sessionIn(state: OpenReadingState, name: string): ReadingSession {
	const session = getRecent(state.sessions, name) ?? { messages: 0, files: emptyRecent() };
	putRecent(state.sessions, name, session, KEPT_SESSIONS);
	return session;
}

function addReading({ messages, files }: ReadingSession, { payload }: EventRecord): void {
	const path = textIn(payload, "path");
	if (path === null || path === "") return;
	const before = getRecent(files, path);
	const known = before && !before.isChanged ? before.tokens : 0;
	const tokens = Math.min(MAX_FILE_TOKENS, known + linesRead(payload) * TOKENS_PER_LINE);
	putRecent(files, path, { tokens, at: messages }, KEPT_FILES);
}
