/** OpenClaw's messages as events. */

import { sha256 } from "../../base/hash/sha256.ts";
import { asName, asObject, asTime } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { type MessageView, messageText, viewMessage } from "../../message/view.ts";
import type { AgentMessage } from "./contract.ts";
import { contentKey, stampOf } from "./message-names.ts";

export const OPENCLAW_HOST = "openclaw";

/** Records a message of a heartbeat run whole, outside of the conversation. */
export function translateHeartbeat(message: AgentMessage, session: SessionRef, now: number): NewEvent {
	return {
		...session,
		ts: asTime(message["timestamp"]) ?? now,
		type: "Entry",
		entry: `heartbeat ${stampOf(message) ?? now} ${contentKey(message)}`,
		payload: { kind: "heartbeat" },
		raw: JSON.stringify(message),
	};
}

/** OpenClaw's own prompts, which begin a run without a user. A person may type the same words: their messages have a sender. */
const WAKES = /^\[OpenClaw (?:heartbeat poll|exec completion|cron wake|session event)\]/;

/** True for messages of a heartbeat or another wake: from its prompt up to the next message of the user. */
export function markHeartbeats(messages: readonly AgentMessage[]): boolean[] {
	let isHeartbeat = false;
	return messages.map((message) => {
		if (message.role === "user")
			isHeartbeat = senderOf(message) === undefined && WAKES.test(messageText(viewOf(message)).trim());
		return isHeartbeat;
	});
}

const MAX_NAME_CHARS = 40;
const MAX_ID_CHARS = 8;
const MARK_CHARS = 6;
/** A number, or a word of letters and digits. */
const PLAIN_ID = /^[+\w-]+$/;

/**
 * Who wrote a message, as the host's channel knows it: the name that they chose, and a mark of their id, because two people may choose
 * the same name. Undefined: the host does not say.
 */
export function senderOf(message: AgentMessage): string | undefined {
	if (message.role !== "user") return undefined;
	const known = asObject(message["__openclaw"]) ?? {};
	const own = asName(known["senderId"]);
	const id = own && markOf(own);
	const chosen = asName(known["senderName"]) ?? asName(known["senderUsername"]);
	// Without an id behind it, a name could look like another one's name and id.
	const name = id === undefined ? chosen?.replaceAll(/[()]/g, " ") : chosen;
	const parts = [name && cutStart(name, MAX_NAME_CHARS).trim(), id && `(${id})`].filter(Boolean);
	return parts.length === 0 ? undefined : wordsInLine(parts.join(" "));
}

/** The end of an id. One with a server (`@anna:example.org`) ends as all ids of that server do, so a hash of it follows the name in it. */
function markOf(id: string): string {
	if (PLAIN_ID.test(id)) return id.slice(-MAX_ID_CHARS);
	const name = /[^@:!]+/.exec(id)?.[0] ?? "";
	return `${cutStart(name, MAX_ID_CHARS)} ${sha256(id).slice(0, MARK_CHARS)}`;
}

export function viewOf(message: AgentMessage): MessageView {
	return viewMessage({ role: message.role, form: "pi", raw: message });
}
