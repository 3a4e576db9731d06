/** OpenClaw's messages as events: the message whole, and what follows from it. */
import type { NewEvent } from "../../event/types.ts";
import type { Calls } from "../../transcript/calls.ts";
import { deriveEvents } from "../../transcript/derive.ts";
import { type MessageView, viewMessage } from "../../transcript/message.ts";
import type { SessionRef } from "../../transcript/tree.ts";
import type { AgentMessage } from "./contract.ts";
import { contentKey, stampOf } from "./identity.ts";

export const OPENCLAW_HOST = "openclaw";

export interface TranslateContext {
	readonly session: SessionRef;
	readonly entry: string;
	/** Entry of the message before it; undefined: the session's newest. */
	readonly parent: string | undefined;
	readonly cwd: string;
	/** The session's calls so far; this message's are added. */
	readonly calls: Calls;
	/** For messages that do not say when they were written. */
	readonly now: number;
}

export function translateMessage(message: AgentMessage, context: TranslateContext): NewEvent[] {
	const { session, entry, parent, cwd, calls, now } = context;
	const view = viewOf(message);
	const base = { ...session, ts: timeOf(message) ?? now };
	const tool = message.role === "toolResult" && view.tool !== undefined ? { tool: view.tool } : {};
	const above = parent === undefined ? {} : { parent };
	return [
		{
			...base,
			type: "Message",
			entry,
			payload: { role: view.role, form: "pi", ...above, ...tool },
			raw: JSON.stringify(message),
		},
		...deriveEvents(view, { entry, cwd, calls }).map((event) => ({ ...base, ...event })),
	];
}

/** A message of a heartbeat run: kept whole, and no part of the conversation. */
export function translateHeartbeat(message: AgentMessage, session: SessionRef, now: number): NewEvent {
	return {
		...session,
		ts: timeOf(message) ?? now,
		type: "Entry",
		entry: `heartbeat ${stampOf(message) ?? now} ${contentKey(message)}`,
		payload: { kind: "heartbeat" },
		raw: JSON.stringify(message),
	};
}

export function viewOf(message: AgentMessage): MessageView {
	return viewMessage({ role: message.role, form: "pi", raw: message });
}

/** ms since the epoch, where the message says it and a Date can hold it. */
export function timeOf({ timestamp }: AgentMessage): number | undefined {
	const time = typeof timestamp === "string" ? Date.parse(timestamp) : timestamp;
	return typeof time === "number" && Math.abs(time) <= 8.64e15 ? Math.trunc(time) : undefined;
}
