/** OpenClaw's messages as events. */

import { asTime } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
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

/** OpenClaw's own prompts, which begin a run without a user. */
const WAKES = /^\[OpenClaw (?:heartbeat poll|exec completion|cron wake|session event)\]/;

/** True for messages of a heartbeat or another wake: from its prompt up to the next message of the user. */
export function markHeartbeats(messages: readonly AgentMessage[]): boolean[] {
	let isHeartbeat = false;
	return messages.map((message) => {
		if (message.role === "user") isHeartbeat = WAKES.test(messageText(viewOf(message)).trim());
		return isHeartbeat;
	});
}

export function viewOf(message: AgentMessage): MessageView {
	return viewMessage({ role: message.role, form: "pi", raw: message });
}
