/**
 * One whole request as data: system text, tools and messages. Every change to a request is a patch on this value; no
 * code on this floor changes one in place. Signals, clocks and the model are passed beside it, never inside, because it
 * is cloned, frozen, stored and hashed.
 */

import { commonLength } from "../../base/collection/sorted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import type { GivenPayload, Payload } from "../../log/event/types.ts";
import type { ThinkingRule } from "../../message/thinking-rules.ts";
import type { Segment, SegmentItem } from "./bytes.ts";
import { type Difference, firstDifference, tokensBefore, totalTokens } from "./difference.ts";

export interface SystemPart {
	readonly name: string;
	readonly text: string;
}

/** The model's view of a tool. Implementations are joined by name when the request is sent. */
export interface ToolDefinition {
	readonly name: string;
	readonly description: string;
	/** JSON Schema of the arguments. */
	readonly parameters: unknown;
}

/** A message in the agent's own form, plus our own fields: `id` and `seed` are never sent to the model. */
export interface EnvelopeMessage {
	/** Stable: operations address messages by it, never by index. */
	readonly id: string;
	/** Opens an epoch: the state or the summary in place of earlier messages. */
	readonly seed?: true;
	readonly role: string;
	readonly [field: string]: unknown;
}

/** A message from a handler: without an id it gets one from its content. */
export interface GivenMessage {
	readonly id?: string;
	readonly role: string;
	readonly [field: string]: unknown;
}

export interface EnvelopeOptions {
	readonly reasoning?: string;
	readonly temperature?: number;
	readonly maxTokens?: number;
}

export interface ContextEnvelope {
	readonly system: {
		readonly parts: readonly SystemPart[];
		/** The parts' texts joined without separators, as the provider gets them. */
		readonly compiled: string;
	};
	readonly tools: readonly ToolDefinition[];
	readonly messages: {
		/** Durable history, meant to be cached by the provider. */
		readonly cached: readonly EnvelopeMessage[];
		/** For this request alone; always sent last. */
		readonly uncached: readonly EnvelopeMessage[];
	};
	readonly options: EnvelopeOptions;
}

export interface EnvelopeInput {
	readonly systemParts?: readonly SystemPart[];
	readonly tools?: readonly ToolDefinition[];
	readonly messages?: readonly EnvelopeMessage[];
	readonly options?: EnvelopeOptions;
}

export function makeEnvelope(input: EnvelopeInput): ContextEnvelope {
	const { systemParts = [], tools = [], messages = [], options = {} } = input;
	refuseTwice("message id", messages, ({ id }) => id);
	return withTools(
		withSystem(
			{ system: { parts: [], compiled: "" }, tools: [], messages: { cached: messages, uncached: [] }, options },
			systemParts,
		),
		tools,
	);
}

function compileSystem(parts: readonly SystemPart[]): string {
	return parts.map(({ text }) => text).join("");
}

export function withSystem(envelope: ContextEnvelope, parts: readonly SystemPart[]): ContextEnvelope {
	refuseTwice("system part", parts, ({ name }) => name);
	return { ...envelope, system: { parts, compiled: compileSystem(parts) } };
}

export function withTools(envelope: ContextEnvelope, tools: readonly ToolDefinition[]): ContextEnvelope {
	refuseTwice("tool", tools, ({ name }) => name);
	return { ...envelope, tools };
}

export function withCached(envelope: ContextEnvelope, cached: readonly EnvelopeMessage[]): ContextEnvelope {
	return { ...envelope, messages: { ...envelope.messages, cached } };
}

export function withUncached(envelope: ContextEnvelope, uncached: readonly EnvelopeMessage[]): ContextEnvelope {
	return { ...envelope, messages: { ...envelope.messages, uncached } };
}

/** The messages as the agent sends them: cached, then uncached, without our own fields. */
export function hostMessages(envelope: ContextEnvelope): Readonly<Record<string, unknown>>[] {
	return [...envelope.messages.cached, ...envelope.messages.uncached].map(({ id: _id, seed: _seed, ...rest }) => rest);
}

function refuseTwice<Item>(what: string, items: readonly Item[], nameOf: (item: Item) => string): void {
	const seen = new Set<string>();
	for (const item of items) {
		const name = nameOf(item);
		if (seen.has(name)) throw new EngineError("refused", `Duplicate ${what} '${name}'.`);
		seen.add(name);
	}
}

/** Below this no provider caches anything. */
export const MIN_CACHED_TOKENS = 1_024;

interface ManifestInput {
	/** Unique in its session. */
	readonly request: string;
	readonly segments: readonly Segment[];
	/** The session's previous request; none at its beginning. */
	readonly last?: { readonly segments: readonly Segment[] } | undefined;
	/** Why bytes that were sent before changed, if they did. */
	readonly reasons: readonly string[];
	/** False: the provider has forgotten the last request by now. */
	readonly warm: boolean;
	readonly model?: string | undefined;
	readonly mode?: string | undefined;
	readonly autoSeal?: GivenPayload<"Request">["autoSeal"];
	readonly thinking?: ThinkingRule | undefined;
	readonly base?: string | undefined;
}

export function makeManifest(input: ManifestInput): GivenPayload<"Request"> {
	const { request, segments, last, reasons, model, mode, autoSeal, thinking, base } = input;
	const difference = last ? firstDifference(last.segments, segments) : null;
	const kept = last ? commonLength(allItems(last.segments), allItems(segments), isSameItem) : 0;
	return {
		request,
		model,
		mode,
		thinking,
		segments: segments.map(({ name, bytes, tokens, sha256 }) => ({ name, bytes, tokens, sha256 })),
		kept,
		items: allItems(segments)
			.slice(kept)
			.map((item) => ({ ...item })),
		reasons: [...reasons],
		difference: difference && { ...difference },
		predicted: predict(input, difference),
		...(autoSeal && { autoSeal }),
		base,
	};
}

function predict(
	{ segments, last, warm }: ManifestInput,
	difference: Difference | null,
): Payload<"Request">["predicted"] {
	const cached = totalTokens(segments);
	const shared = !last ? 0 : difference ? tokensBefore(segments, difference.byte) : totalTokens(last.segments);
	const read = warm && shared >= MIN_CACHED_TOKENS ? Math.min(shared, cached) : 0;
	const input = segments.find(({ name }) => name === "uncached")?.tokens ?? 0;
	return { read, write: cached - read, input };
}

function allItems(segments: readonly Segment[]): readonly SegmentItem[] {
	return segments.flatMap(({ items }) => items);
}

function isSameItem(a: SegmentItem, b: SegmentItem): boolean {
	return a.id === b.id && a.hash === b.hash;
}
