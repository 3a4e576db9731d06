/**
 * Text that the agent has read and not yet worked on. Agents read ten files and then edit them; a seal in between takes the
 * text away just before it is needed. Counted per session: a change of a file ends its reading, a seal ends them all.
 */
import type { EventRecord } from "../../log/event/types.ts";
import { dropRecent, emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { linesRead, TOKENS_PER_LINE } from "./reread-fold.ts";

interface ReadingSession {
	/** Messages so far. */
	messages: number;
	files: Recent<{ readonly tokens: number; readonly at: number }>;
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
	version: 1,
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
				if (session) dropRecent(session.files, textIn(record.payload, "path") ?? "");
				return;
			}
			case "Seal": {
				const session = getRecent(state.sessions, record.session);
				if (session) session.files = emptyRecent();
			}
		}
	},
};

/** Tokens of the text that a session has read lately and not yet changed. */
export function openReading(state: OpenReadingState, session: string): number {
	const reading = getRecent(state.sessions, session);
	if (!reading) return 0;
	const oldest = reading.messages - MAX_AGE_MESSAGES;
	return Object.values(reading.files.items).reduce((sum, { tokens, at }) => sum + (at >= oldest ? tokens : 0), 0);
}

function sessionIn(state: OpenReadingState, name: string): ReadingSession {
	const session = getRecent(state.sessions, name) ?? { messages: 0, files: emptyRecent() };
	putRecent(state.sessions, name, session, KEPT_SESSIONS);
	return session;
}

function addReading({ messages, files }: ReadingSession, { payload }: EventRecord): void {
	const path = textIn(payload, "path");
	if (path === null || path === "") return;
	const before = getRecent(files, path)?.tokens ?? 0;
	const tokens = Math.min(MAX_FILE_TOKENS, before + linesRead(payload) * TOKENS_PER_LINE);
	putRecent(files, path, { tokens, at: messages }, KEPT_FILES);
}
