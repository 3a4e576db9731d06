/** A request on its way: the messages that Pi will send, by the entries that they come from. */
import type { ContextEvent } from "@earendil-works/pi-coding-agent";
import type { Segment } from "../../envelope/bytes.ts";
import type { ContextEnvelope } from "../../envelope/envelope.ts";
import { type EnvelopeMessage, makeEnvelope, withUncached } from "../../envelope/envelope.ts";
import type { LiveSession } from "./live-session.ts";

export type PiMessage = ContextEvent["messages"][number];

export interface Shown {
	/** Of the entry; of our own making where there is none. */
	readonly id: string;
	readonly message: PiMessage;
	/** Stands for what came before: a seal, a compaction, a computed context. */
	readonly seed?: true;
}

export interface Outgoing {
	readonly envelope: ContextEnvelope;
	/** Estimated, of the messages. */
	readonly tokens: number;
	/** What is said last and not cached. */
	readonly last?: string;
	/** Its first message is a seed. */
	readonly sealed: boolean;
	/** As it was sent. */
	readonly segments?: readonly Segment[];
}

/** Pi's list with the ids of its entries. Where another extension has changed the list, places stand for ids. */
export function identified(messages: readonly PiMessage[], live: LiveSession): Shown[] {
	const { entries } = live.ctx.sessionManager.buildSessionProjection();
	const projected = entries.flatMap(({ sourceEntry, messages: own }) =>
		own
			.filter(({ role }) => role !== "system")
			.map((message) => ({ id: sourceEntry.id, message, isSeed: sourceEntry.type === "compaction" })),
	);
	const known = projected.length === messages.length;
	return messages.map((message, at) => {
		const from = projected[at];
		if (!known || from?.message.role !== message.role) return { id: `place ${at}`, message };
		// Pi hands out copies; its own stays the same object, whose bytes need to be counted only once.
		return { id: from.id, message: from.message, ...(from.isSeed ? { seed: true } : {}) };
	});
}

export function toOutgoing(shown: readonly Shown[], last?: Shown): Outgoing {
	const envelope = makeEnvelope({ messages: shown.map(envelopeMessage) });
	return {
		envelope: last ? withUncached(envelope, [envelopeMessage(last)]) : envelope,
		tokens: 0,
		sealed: shown[0]?.seed === true,
		...(last ? { last: textOf(last.message) } : {}),
	};
}

const made = new WeakMap<object, EnvelopeMessage>();

function envelopeMessage({ id, message, seed }: Shown): EnvelopeMessage {
	const before = made.get(message);
	if (before?.id === id) return before;
	const fresh = Object.freeze({ ...message, id, ...(seed ? { seed } : {}) }) as unknown as EnvelopeMessage;
	made.set(message, fresh);
	return fresh;
}

export function userMessage(text: string, timestamp: number): PiMessage {
	return { role: "user", content: [{ type: "text", text }], timestamp };
}

function textOf(message: PiMessage): string {
	const content = "content" in message ? message.content : "";
	if (typeof content === "string") return content;
	return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
