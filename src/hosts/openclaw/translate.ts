/** OpenClaw's messages as events. */
import type { NewEvent } from "../../event/types.ts";
import { asTime } from "../../json/read.ts";
import { type MessageView, viewMessage } from "../../message/view.ts";
import type { SessionRef } from "../../session/tree.ts";
import type { AgentMessage } from "./contract.ts";
import { contentKey, stampOf } from "./identity.ts";

export const OPENCLAW_HOST = "openclaw";

/** A message of a heartbeat run: kept whole, and no part of the conversation. */
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

export function viewOf(message: AgentMessage): MessageView {
	return viewMessage({ role: message.role, form: "pi", raw: message });
}
