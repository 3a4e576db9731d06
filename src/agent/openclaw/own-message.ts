/**
 * Messages of ours: the seed at the head of a request. The host hands our answer back to us as the messages of its next
 * call, so they must be told from what was said. Each carries a field of ours, which the host keeps; where a host loses
 * it, the words are those of a seal.
 */
import { asObject, asTime } from "../../base/json/read.ts";
import { messageText } from "../../message/view.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

const FIELD = "weft";
/** A seed stands first; a host may put something of its own before it, not much. */
const MAX_BEFORE = 3;

/** `kept`: the first message after it. Its time is the seed's too: a clock would make other bytes of it each time. */
export function openingMessage(text: string, of: string, kept: AgentMessage | undefined): AgentMessage {
	return ownMessage(text, { seed: of }, (kept && asTime(kept["timestamp"])) ?? 0);
}

/** What was recalled for the words that follow it. `before`: the message before it, whose time is its own too. */
export function recalledMessage(text: string, of: string, before: AgentMessage | undefined): AgentMessage {
	return ownMessage(text, { recall: of }, (before && asTime(before["timestamp"])) ?? 0);
}

/** `mark`: what it is and of what. The same words, mark and time are the same bytes. */
function ownMessage(text: string, mark: Readonly<Record<string, string>>, timestamp: number): AgentMessage {
	return { role: "user", content: [{ type: "text", text }], timestamp, [FIELD]: mark };
}

function isOwn(message: AgentMessage): boolean {
	return message[FIELD] !== undefined;
}

/** The seed of a seal. */
export function isSeed(message: AgentMessage): boolean {
	return asObject(message[FIELD])?.["seed"] !== undefined;
}

/** What was recalled for the words that are about to follow it. */
export function isRecalled(message: AgentMessage): boolean {
	return asObject(message[FIELD])?.["recall"] !== undefined;
}

/** The host's messages among these. `seed`: the text that opens the session now. */
export function withoutOwn(messages: readonly AgentMessage[], seed?: string): readonly AgentMessage[] {
	return messages.filter((message, at) => !isOwn(message) && !(at < MAX_BEFORE && saysSeed(message, seed)));
}

function saysSeed(message: AgentMessage, seed: string | undefined): boolean {
	if (message.role !== "user" || !seed) return false;
	return messageText(viewOf(message)).endsWith(seed);
}
