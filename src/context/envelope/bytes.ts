/**
 * An envelope as bytes, in the order in which providers hash them for their caches: tools, system, options that matter
 * to a cache, the seed, the raw tail, and the messages for this request alone. Keys keep the agent's order, because
 * their order counts on the wire. Two requests share a cache exactly as far as these bytes are equal.
 */

import { createHash, type Hash } from "node:crypto";
import { writeJson } from "../../base/json/write.ts";
import { tokensOfBytes } from "../../base/tokens/estimate.ts";
import { guessForm } from "../../message/view.ts";
import { weighWire } from "../../message/weight.ts";
import type { ContextEnvelope, EnvelopeMessage } from "./envelope.ts";

const SEGMENT_NAMES = ["tools", "system", "options", "seed", "tail", "uncached"] as const;
export type SegmentName = (typeof SEGMENT_NAMES)[number];

export interface SegmentItem {
	readonly id: string;
	readonly bytes: number;
	readonly tokens: number;
	/** SHA-256[:16] of its bytes. */
	readonly hash: string;
}

export interface Segment {
	readonly name: SegmentName;
	readonly text: string;
	readonly bytes: number;
	readonly tokens: number;
	readonly sha256: string;
	/** The messages in it; none for tools, system and options. */
	readonly items: readonly SegmentItem[];
}

/** A message's line never changes while the message does not: made once. */
const lines = new WeakMap<EnvelopeMessage, { readonly line: string; readonly item: SegmentItem }>();

const ITEM_HASH_CHARS = 16;

/** Fields that agents keep for themselves. They are never sent, so they do not count. */
const NOT_SENT = new Set([
	"id",
	"seed",
	"timestamp",
	"usage",
	"details",
	"display",
	"api",
	"provider",
	"model",
	"stopReason",
	"errorMessage",
	"responseId",
	"responseModel",
	"diagnostics",
]);

export function segmentsOf(envelope: ContextEnvelope): Segment[] {
	const { cached, uncached } = envelope.messages;
	const seed = cached.findIndex((message) => message.seed !== true);
	const seedEnd = seed === -1 ? cached.length : seed;
	const tools = envelope.tools.map(({ name, description, parameters }) => toLine({ name, description, parameters }));
	const { reasoning } = envelope.options;
	return [
		plain("tools", tools.join("")),
		plain("system", envelope.system.compiled),
		// No provider's cache key includes the token budget or the temperature; reasoning is part of it.
		plain("options", reasoning === undefined ? "" : toLine({ reasoning })),
		ofMessages("seed", cached.slice(0, seedEnd)),
		ofMessages("tail", cached.slice(seedEnd)),
		ofMessages("uncached", uncached),
	];
}

/**
 * All bytes that a provider may cache, as text. Inside an epoch, each request's bytes begin with those of the one
 * before.
 */
export function cachedText(segments: readonly Segment[]): string {
	return segments.map(({ name, text }) => (name === "uncached" ? "" : text)).join("");
}

/** The newest segment of each kind: the next request's usually equals or extends it. */
const newest = new Map<SegmentName, Segment>();
const grown = new WeakMap<Segment, Grown>();

/** The source of a segment, so that only new messages are hashed. Kept for the newest segments only. */
interface Grown {
	readonly messages: readonly EnvelopeMessage[];
	/** The one that it extends. */
	readonly before: Segment | undefined;
	/** Over the text; copied, never ended. */
	readonly hash: Hash;
}

function plain(name: SegmentName, text: string): Segment {
	const last = newest.get(name);
	if (last?.text === text) return last;
	const bytes = Buffer.byteLength(text, "utf8");
	const segment = { name, text, bytes, tokens: tokensOfBytes(bytes), sha256: sha256(text), items: [] };
	newest.set(name, segment);
	return segment;
}

function ofMessages(name: SegmentName, messages: readonly EnvelopeMessage[]): Segment {
	const last = newest.get(name);
	const made = last && grown.get(last);
	const extended = made && isExtended(made.messages, messages) ? { ...made, segment: last } : undefined;
	const parts = messages.slice(extended?.messages.length ?? 0).map(lineOf);
	if (extended && parts.length === 0) return extended.segment;
	const before = extended?.segment ?? EMPTY;
	const more = parts.map(({ line }) => line).join("");
	const hash = (extended?.hash.copy() ?? createHash("sha256")).update(more, "utf8");
	const segment = {
		name,
		text: before.text + more,
		bytes: parts.reduce((sum, { item }) => sum + item.bytes, before.bytes),
		tokens: parts.reduce((sum, { item }) => sum + item.tokens, before.tokens),
		sha256: hash.copy().digest("hex"),
		items: before.items.concat(parts.map(({ item }) => item)),
	};
	newest.set(name, segment);
	if (last) grown.delete(last);
	grown.set(segment, { messages, hash, before: extended?.segment });
	return segment;
}

/**
 * Whether a segment's bytes begin with another's. Comparing long texts takes time; for the newest segments the answer is
 * already known.
 */
export function extendsSegment(segment: Segment, before: Segment): boolean {
	return grown.get(segment)?.before === before || segment.text.startsWith(before.text);
}

const EMPTY = { text: "", bytes: 0, tokens: 0, items: [] as readonly SegmentItem[] };

/** The same frozen messages, and more. */
function isExtended(before: readonly EnvelopeMessage[], after: readonly EnvelopeMessage[]): boolean {
	if (before.length > after.length) return false;
	return before.every((message, at) => message === after[at] && Object.isFrozen(message));
}

/** The hash of a message's bytes, as its item in a segment has it. */
export function hashMessage(message: EnvelopeMessage): string {
	return lineOf(message).item.hash;
}

function lineOf(message: EnvelopeMessage): { readonly line: string; readonly item: SegmentItem } {
	const known = lines.get(message);
	if (known) return known;
	const sent = Object.fromEntries(Object.entries(message).filter(([key]) => !NOT_SENT.has(key)));
	const line = toLine(sent);
	const hash = sha256(line).slice(0, ITEM_HASH_CHARS);
	const tokens = weighWire(message, guessForm(message));
	const made = { line, item: { id: message.id, bytes: Buffer.byteLength(line, "utf8"), tokens, hash } };
	// Cache only frozen messages.
	if (Object.isFrozen(message)) lines.set(message, made);
	return made;
}

function toLine(value: unknown): string {
	return `${writeJson(value)}\n`;
}

function sha256(text: string): string {
	return createHash("sha256").update(text, "utf8").digest("hex");
}
