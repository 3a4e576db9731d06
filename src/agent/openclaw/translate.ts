/** OpenClaw's messages as events. */

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

/**
 * Who wrote a message, as the host's channel knows it: the name that they chose, and the end of an id, because two people may choose
 * the same name. Undefined: the host does not say.
 */
export function senderOf(message: AgentMessage): string | undefined {
	if (message.role !== "user") return undefined;
	const known = asObject(message["__openclaw"]) ?? {};
	const id = asName(known["senderId"])?.slice(-MAX_ID_CHARS);
	const name = asName(known["senderName"]) ?? asName(known["senderUsername"]);
	const parts = [name && cutStart(name, MAX_NAME_CHARS).trim(), id && `(${id})`].filter(Boolean);
	return parts.length === 0 ? undefined : wordsInLine(parts.join(" "));
}

export function viewOf(message: AgentMessage): MessageView {
	return viewMessage({ role: message.role, form: "pi", raw: message });
}
