import { createHash } from "node:crypto";
import { commonLength } from "../../base/collection/sorted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeJson } from "../../base/json/write.ts";
import {
	type ContextEnvelope,
	type EnvelopeMessage,
	type GivenMessage,
	withCached,
	withUncached,
} from "../envelope/envelope.ts";
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

const HASH_CHARS = 16;

/**
 * Ids for messages that come without one: made from the content, so that the same patch always yields the same ids.
 * Gives every message an id; a message with the same content as another gets the next free number as a suffix.
 */
export function identify(given: readonly GivenMessage[], taken: ReadonlySet<string>): EnvelopeMessage[] {
	const used = new Set(taken);
	for (const { id } of given) if (id !== undefined) used.add(id);
	return given.map((message) => {
		if (message.id !== undefined) return message as EnvelopeMessage;
		const id = freeId(`x-${contentHash(message)}`, used);
		used.add(id);
		return { ...message, id };
	});
}

export function idsOf(...lists: readonly (readonly EnvelopeMessage[])[]): Set<string> {
	return new Set(lists.flatMap((list) => list.map(({ id }) => id)));
}

/** SHA-256[:16] of a value's JSON. */
export function contentHash(value: unknown): string {
	return createHash("sha256").update(writeJson(value), "utf8").digest("hex").slice(0, HASH_CHARS);
}

function freeId(wanted: string, used: ReadonlySet<string>): string {
	let id = wanted;
	for (let copy = 2; used.has(id); copy++) id = `${wanted}.${copy}`;
	return id;
}
