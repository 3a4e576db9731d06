/**
 * Messages that weft adds: the seed at the head of a request, and recalled memory. The host hands our answer back as the
 * messages of its next call, so weft must recognise its own. Each carries a field that the host keeps; if a host drops the
 * field, the text of the seal gives the seed away.
 */
import { asObject, asTime } from "../../base/json/read.ts";
import { messageText } from "../../message/view.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

const FIELD = "weft";
/** A host may put a few messages of its own before the seed. */
const MAX_BEFORE = 3;

/** `kept`: the first message after it. The seed takes its time, because the clock would change its bytes each time. */
export function openingMessage(text: string, of: string, kept: AgentMessage | undefined): AgentMessage {
	return ownMessage(text, { seed: of }, (kept && asTime(kept["timestamp"])) ?? 0);
}

/** Memory for the prompt that follows it. `before`: the message before it, whose time it takes. */
export function recalledMessage(text: string, of: string, before: AgentMessage | undefined): AgentMessage {
	return ownMessage(text, { recall: of }, (before && asTime(before["timestamp"])) ?? 0);
}

/** `mark`: its kind and source. The same text, mark and time give the same bytes. */
function ownMessage(text: string, mark: Readonly<Record<string, string>>, timestamp: number): AgentMessage {
	return { role: "user", content: [{ type: "text", text }], timestamp, [FIELD]: mark };
}

function isOwn(message: AgentMessage): boolean {
	return message[FIELD] !== undefined;
}

export function isSeed(message: AgentMessage): boolean {
	return asObject(message[FIELD])?.["seed"] !== undefined;
}

/** Memory for the prompt that follows it. */
export function isRecalled(message: AgentMessage): boolean {
	return asObject(message[FIELD])?.["recall"] !== undefined;
}

/** The host's own messages. `seed`: the text that opens the session now. */
export function withoutOwn(messages: readonly AgentMessage[], seed?: string): readonly AgentMessage[] {
	return messages.filter((message, at) => !isOwn(message) && !(at < MAX_BEFORE && saysSeed(message, seed)));
}

function saysSeed(message: AgentMessage, seed: string | undefined): boolean {
	if (message.role !== "user" || !seed) return false;
	return messageText(viewOf(message)).endsWith(seed);
}
