/** A request on its way: the messages that Pi will send, by the entries that they come from. */
import type { Segment } from "../../context/envelope/bytes.ts";
import type { ContextEnvelope } from "../../context/envelope/envelope.ts";
import { type EnvelopeMessage, makeEnvelope, withUncached } from "../../context/envelope/envelope.ts";
import type { LiveSession } from "./live-session.ts";
import { type PiMessage, type Projected, projectBranch } from "./projection.ts";
import type { WireChanges } from "./wire-changes.ts";

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
	/** The text with which it ends, where that is not cached, and of how many messages it is the last. */
	readonly last?: string;
	readonly trailing?: number;
	/** Its first message is a seed. */
	readonly sealed: boolean;
	/** What handlers made of it. */
	readonly changes?: WireChanges;
	/** As it was sent. */
	readonly segments?: readonly Segment[];
}

/** Pi's list with the ids of its entries. Where another extension has changed the list, places stand for ids. */
export function identified(messages: readonly PiMessage[], live: LiveSession): Shown[] {
	const projected = shownIn(projectBranch(live.ctx.sessionManager));
	const known = projected.length === messages.length;
	return messages.map((message, at) => {
		const from = projected[at];
		// Pi hands out copies; its own stays the same object, whose bytes need to be counted only once.
		return known && from?.message.role === message.role ? from : { id: `place ${at}`, message };
	});
}

/** The messages of Pi's projection; its prompt is none of them. */
export function shownIn(entries: readonly Projected[]): Shown[] {
	return entries.flatMap(({ sourceEntry, messages }) =>
		messages
			.filter(({ role }) => role !== "system")
			.map((message) => ({
				id: sourceEntry.id,
				message,
				...(sourceEntry.type === "compaction" ? { seed: true as const } : {}),
			})),
	);
}

export function toOutgoing(shown: readonly Shown[], last?: Shown): Outgoing {
	const envelope = makeEnvelope({ messages: shown.map(envelopeMessage) });
	return {
		envelope: last ? withUncached(envelope, [envelopeMessage(last)]) : envelope,
		tokens: 0,
		sealed: shown[0]?.seed === true,
		...(last ? endOf([last.message]) : {}),
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

/** How a request ends that has messages for itself alone. */
export function endOf(uncached: readonly unknown[]): { last?: string; trailing?: number } {
	const message = uncached.at(-1);
	if (!message) return {};
	const { content } = message as { readonly content?: string | readonly { readonly text?: string }[] };
	return { last: typeof content === "string" ? content : (content?.at(-1)?.text ?? ""), trailing: uncached.length };
}
