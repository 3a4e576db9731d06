/**
 * Keeps what a model or the user wrote into a session's Current State and Next Steps. Bullets from state are left out: they can be
 * made again at any time.
 */

import { asList, asName, asObject, asText } from "../../../base/json/read.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../../log/fold/keyed.ts";
import type { StateFold } from "../../../log/fold/state-fold.ts";
import { sessionKey } from "../../../log/session-ref.ts";
import type { SessionSection } from "../section.ts";

export interface Note {
	readonly id: string;
	readonly section: SessionSection;
	readonly text: string;
}

export interface NotesState {
	/** By host and session, in the order of writing. */
	sessions: Recent<Note[]>;
}

const MAX_SESSIONS = 20;
const MAX_NOTES = 24;
const NOTED: ReadonlySet<string> = new Set<SessionSection>(["Current State", "Next Steps"]);

export const notesFold: StateFold<NotesState> = {
	name: "notes",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, { type, session, host, payload }) {
		if (type !== "MemoryWrite" || payload["file"] !== "session") return;
		const key = sessionKey({ host, session });
		let notes = getRecent(state.sessions, key) ?? [];
		for (const each of asList(payload["ops"])) {
			const op = asObject(each) ?? {};
			const [id, section, text] = [asName(op["id"]), asText(op["section"]) ?? "", asText(op["text"])];
			if (id === undefined) continue;
			notes = notes.filter((note) => note.id !== id && note.id !== op["replaces"]);
			const isNew = (op["op"] === "add" || op["op"] === "supersede") && text !== undefined && op["by"] !== "state";
			if (isNew && NOTED.has(section)) notes.push({ id, section: section as SessionSection, text });
		}
		putRecent(state.sessions, key, notes.slice(-MAX_NOTES), MAX_SESSIONS);
	},
};

export function notesIn(
	state: NotesState,
	{ session, host }: { readonly session: string; readonly host: string },
): readonly Note[] {
	return getRecent(state.sessions, sessionKey({ host, session })) ?? [];
}
