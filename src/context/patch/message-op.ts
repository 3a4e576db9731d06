import { commonLength } from "../../base/collection/sorted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { type ContextEnvelope, type EnvelopeMessage, withCached, withUncached } from "../envelope/envelope.ts";
import { contentHash, identify, idsOf } from "./message-id.ts";
import type { MessageOp } from "./operation.ts";

type Replace = Extract<MessageOp, { op: "messages_cached_replace" }>;

/** Messages of the operation must have ids, as `pin` ensures. */
export function applyMessages(envelope: ContextEnvelope, op: MessageOp): ContextEnvelope {
	const { cached, uncached } = envelope.messages;
	switch (op.op) {
		case "messages_cached_replace":
			return withCached(envelope, unique(op, replacement(cached, op), uncached));
		case "messages_uncached_append":
			return withUncached(envelope, unique(op, [...uncached, ...(op.messages as readonly EnvelopeMessage[])], cached));
		case "tail_set":
			return withUncached(envelope, unique(op, op.messages as readonly EnvelopeMessage[], cached));
		case "items_drop":
			return inScope(envelope, op, (messages) => drop(messages, op));
		case "item_replace":
			return inScope(envelope, op, (messages) => {
				requireIds(op, messages, [op.id]);
				return messages.map((each) => (each.id === op.id ? ({ ...op.message, id: op.id } as EnvelopeMessage) : each));
			});
	}
}

/** The operation as it is stored: every message has an id. */
export function pinMessages(envelope: ContextEnvelope, op: MessageOp): MessageOp {
	const { cached, uncached } = envelope.messages;
	switch (op.op) {
		case "messages_cached_replace":
			return pinReplacement(cached, { ...op, messages: identify(op.messages, idsOf(uncached)) });
		case "messages_uncached_append":
			return { ...op, messages: identify(op.messages, idsOf(cached, uncached)) };
		case "tail_set":
			return { ...op, messages: identify(op.messages, idsOf(cached)) };
		case "items_drop":
		case "item_replace":
			return op;
	}
}

/** True when every present message stays: no byte that was sent changes. */
export function isAppend(envelope: ContextEnvelope, pinned: Replace): boolean {
	const last = envelope.messages.cached.at(-1);
	return last === undefined || pinned.keepThroughId === last.id;
}

function pinReplacement(present: readonly EnvelopeMessage[], op: Replace): Replace {
	const next = replacement(present, op);
	const common = commonLength(present, next, isEqual);
	const { keepThroughId: _, ...rest } = op;
	const pinned = { ...rest, messages: next.slice(common) };
	const last = present[common - 1];
	return last ? { ...pinned, keepThroughId: last.id } : pinned;
}

function replacement(present: readonly EnvelopeMessage[], op: Replace): readonly EnvelopeMessage[] {
	const messages = op.messages as readonly EnvelopeMessage[];
	if (op.keepThroughId === undefined) return messages;
	requireIds(op, present, [op.keepThroughId]);
	return [...present.slice(0, present.findIndex(({ id }) => id === op.keepThroughId) + 1), ...messages];
}

function isEqual(a: EnvelopeMessage, b: EnvelopeMessage): boolean {
	return a === b || JSON.stringify(a) === JSON.stringify(b);
}

function drop(
	messages: readonly EnvelopeMessage[],
	op: Extract<MessageOp, { op: "items_drop" }>,
): readonly EnvelopeMessage[] {
	requireIds(op, messages, op.ids);
	const gone = new Set(op.ids);
	const first = messages.findIndex(({ id }) => gone.has(id));
	return messages.flatMap((message, at) => {
		if (!gone.has(message.id)) return [message];
		if (at !== first || op.stub === undefined) return [];
		return [{ id: `d-${contentHash([op.ids, op.stub])}`, role: "user", content: op.stub }];
	});
}

function inScope(
	envelope: ContextEnvelope,
	{ scope }: MessageOp,
	change: (messages: readonly EnvelopeMessage[]) => readonly EnvelopeMessage[],
): ContextEnvelope {
	const { cached, uncached } = envelope.messages;
	return scope === "cached" ? withCached(envelope, change(cached)) : withUncached(envelope, change(uncached));
}

function requireIds(op: MessageOp, messages: readonly EnvelopeMessage[], ids: readonly string[]): void {
	const present = idsOf(messages);
	const missing = ids.find((id) => !present.has(id));
	if (missing === undefined) return;
	throw new EngineError("refused", `Context patch op "${op.op}": there is no ${op.scope} message '${missing}'.`);
}

function unique(
	op: MessageOp,
	messages: readonly EnvelopeMessage[],
	others: readonly EnvelopeMessage[],
): readonly EnvelopeMessage[] {
	const seen = idsOf(others);
	for (const { id } of messages) {
		if (seen.has(id)) throw new EngineError("refused", `Context patch op "${op.op}": duplicate message id '${id}'.`);
		seen.add(id);
	}
	return messages;
}
