/** The name of a session in lists: what the user called it, or the agent, or else the user's first request. */

import { asObject, asText } from "../../base/json/read.ts";
import type { AnyPayload, EventRecord } from "../../log/event/types.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import { foldIntent, isRequest } from "./intent.ts";

export interface SessionTitle {
	readonly title: string | null;
	/** A higher rank replaces a title. From `AGENT_RANK` on the newest of a rank does, below it the first stays. */
	readonly rank: number;
}

export const NO_TITLE: SessionTitle = { title: null, rank: 0 };

/** A sub-agent's task, or words that ask for nothing, such as a slash command. */
const WEAK_RANK = 1;
const REQUEST_RANK = 2;
export const AGENT_RANK = 3;
const USER_RANK = 4;

/** The entries in which agents write a session's name. */
const NAMES: Readonly<Record<string, { readonly rank: number; readonly read: (raw: AnyPayload) => unknown }>> = {
	"custom-title": { rank: USER_RANK, read: (raw) => raw["customTitle"] },
	"ai-title": { rank: AGENT_RANK, read: (raw) => raw["aiTitle"] },
	session_info: { rank: USER_RANK, read: (raw) => raw["name"] },
	session: { rank: AGENT_RANK, read: (raw) => asObject(raw["info"])?.["title"] },
};

/** What an agent writes until it has a name. */
const PLACEHOLDER = /^(?:New|Child) session - \d{4}-/;

export function titleOf(record: EventRecord, known: SessionTitle): SessionTitle {
	const found = readTitle(record, known.rank);
	return found.title !== null && isBetter(found.rank, known.rank) ? found : known;
}

function isBetter(rank: number, than: number): boolean {
	return rank > than || (rank === than && rank >= AGENT_RANK);
}

function readTitle({ type, payload, session }: EventRecord, known: number): SessionTitle {
	if (type === "Entry") {
		const name = NAMES[asText(payload["kind"]) ?? ""];
		const title = name && foldIntent(asText(name.read(asObject(payload["raw"]) ?? {})) ?? "");
		return name && title && !PLACEHOLDER.test(title) ? { title, rank: name.rank } : NO_TITLE;
	}
	if (type === "UserIntent" && known < REQUEST_RANK) {
		const text = foldIntent(asText(payload["text"]) ?? "");
		return text === "" ? NO_TITLE : { title: planTitle(text), rank: isRequest(text) ? REQUEST_RANK : WEAK_RANK };
	}
	// Nobody types to a sub-agent: its first words are its task.
	if (type === "Message" && known < WEAK_RANK && session.includes("/")) {
		const view = viewMessage(payload);
		const text = view.role === "user" ? foldIntent(messageText(view)) : "";
		return text === "" || text.startsWith("<") ? NO_TITLE : { title: planTitle(text), rank: WEAK_RANK };
	}
	return NO_TITLE;
}

/** "Implement the following plan: # Cache the index ## Why …" is called "Cache the index". */
const PLAN = /^[^#:]{1,80}:\s+#\s+(?:Plan:\s+)?(.{4,200}?)(?:\s+#{1,6}\s|$)/;

function planTitle(text: string): string {
	return PLAN.exec(text)?.[1] ?? text;
}
