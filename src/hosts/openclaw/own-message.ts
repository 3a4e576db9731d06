/**
 * The one message that is ours: the seed at the head of a request. The host hands our answer back to us as the messages of
 * its next call, so it must be told from what was said. It carries a field of ours, which the host keeps; where a host
 * loses it, the words are those of a seal.
 */
import type { Seal } from "../../context/seal/epochs.ts";
import { messageText } from "../../message/view.ts";
import { timeOf } from "../../session/message-events.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

const FIELD = "weft";
/** A seed stands first; a host may put something of its own before it, not much. */
const MOST_BEFORE = 3;

/** `kept`: the first message behind it. Its time is the seed's too: a clock would make other bytes of it each time. */
export function openingMessage(text: string, of: string, kept: AgentMessage | undefined): AgentMessage {
	const timestamp = (kept && timeOf(kept)) ?? 0;
	return { role: "user", content: [{ type: "text", text }], timestamp, [FIELD]: { seed: of } };
}

export function isOwn(message: AgentMessage): boolean {
	return message[FIELD] !== undefined;
}

/** The host's messages among these. */
export function withoutOwn(messages: readonly AgentMessage[], seals: readonly Seal[] = []): readonly AgentMessage[] {
	return messages.filter((message, at) => !isOwn(message) && !(at < MOST_BEFORE && saysSeed(message, seals)));
}

function saysSeed(message: AgentMessage, seals: readonly Seal[]): boolean {
	if (message.role !== "user" || seals.length === 0) return false;
	const text = messageText(viewOf(message));
	return seals.some(({ seed }) => seed.text !== "" && text.endsWith(seed.text));
}
