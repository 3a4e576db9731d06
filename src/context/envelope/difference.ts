/** The first byte that differs between two requests, and the cost of sending everything after it again. */
import type { Segment, SegmentName } from "./bytes.ts";
import { cachedText, extendsSegment } from "./bytes.ts";
import type { ContextEnvelope } from "./envelope.ts";

export interface Difference {
	/** The segment of the newer request that the byte is in. */
	readonly segment: SegmentName;
	/** In the whole request, from 0. */
	readonly byte: number;
	/** Tokens that a cache held, or would hold, and that must be written again. */
	readonly tokens: number;
}

/** null: the newer request extends the older. Uncached messages do not count. */
export function firstDifference(before: readonly Segment[], after: readonly Segment[]): Difference | null {
	if (isExtended(cachedOnes(before), cachedOnes(after))) return null;
	const [old, now] = [cachedText(before), cachedText(after)];
	if (now.startsWith(old)) return null;
	const at = firstOther(old, now);
	const byte = Buffer.byteLength(now.slice(0, at), "utf8");
	const rest = Math.min(tokensFrom(before, byte), tokensFrom(after, byte));
	return { segment: segmentAt(byte < totalBytes(after) ? after : before, byte), byte, tokens: rest };
}

/** The usual case, without joining the texts: everything is equal up to the segment that grew. */
function isExtended(before: readonly Segment[], after: readonly Segment[]): boolean {
	const at = before.findIndex((segment, index) => !isSame(segment, after[index]));
	if (at === -1) return true;
	const [old, now] = [before[at], after[at]];
	return (
		old !== undefined &&
		now !== undefined &&
		extendsSegment(now, old) &&
		before.slice(at + 1).every(({ bytes }) => bytes === 0)
	);
}

function isSame(before: Segment, after: Segment | undefined): boolean {
	return before === after || (before.bytes === after?.bytes && before.sha256 === after.sha256);
}

/** Tokens of the cached segments before a byte. */
export function tokensBefore(segments: readonly Segment[], byte: number): number {
	return totalTokens(segments) - tokensFrom(segments, byte);
}

/** Tokens of all segments that may be cached. */
export function totalTokens(segments: readonly Segment[]): number {
	return cachedOnes(segments).reduce((sum, { tokens }) => sum + tokens, 0);
}

function tokensFrom(segments: readonly Segment[], byte: number): number {
	let [at, tokens] = [0, 0];
	for (const segment of cachedOnes(segments)) {
		const pieces = segment.items.length > 0 ? segment.items : [segment];
		for (const piece of pieces) {
			const end = at + piece.bytes;
			if (at >= byte) tokens += piece.tokens;
			else if (end > byte) tokens += Math.round((piece.tokens * (end - byte)) / piece.bytes);
			at = end;
		}
	}
	return tokens;
}

function segmentAt(segments: readonly Segment[], byte: number): SegmentName {
	let end = 0;
	for (const { name, bytes } of cachedOnes(segments)) {
		end += bytes;
		if (byte < end) return name;
	}
	return "tail";
}

function cachedOnes(segments: readonly Segment[]): readonly Segment[] {
	return segments.filter(({ name }) => name !== "uncached");
}

function totalBytes(segments: readonly Segment[]): number {
	return cachedOnes(segments).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Index of the first unit that differs, moved back where it lies inside a surrogate pair. */
function firstOther(a: string, b: string): number {
	const end = Math.min(a.length, b.length);
	let at = 0;
	while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
	const unit = at > 0 ? b.charCodeAt(at - 1) : 0;
	return unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}

/** True: the bytes that a provider may have cached are equal. */
export function sameCachedPart(before: ContextEnvelope, after: ContextEnvelope): boolean {
	return (
		before.system.compiled === after.system.compiled &&
		before.options.reasoning === after.options.reasoning &&
		sameJson(before.tools, after.tools) &&
		sameJson(before.messages.cached, after.messages.cached)
	);
}

/** True: the parts that no cache holds are equal. */
export function sameUncachedPart(before: ContextEnvelope, after: ContextEnvelope): boolean {
	return (
		sameJson(before.messages.uncached, after.messages.uncached) &&
		sameJson(before.system.parts, after.system.parts) &&
		JSON.stringify(before.options) === JSON.stringify(after.options)
	);
}

/**
 * Index of the first message that comes after something else than before: the system text or the tools changed, or a message at or
 * before it. Undefined: nothing changed, or messages were only appended.
 */
export function firstDisplaced(before: ContextEnvelope, after: ContextEnvelope): number | undefined {
	if (before.system.compiled !== after.system.compiled || !sameJson(before.tools, after.tools)) return 0;
	const [old, now] = [before.messages.cached, after.messages.cached];
	if (old === now) return undefined;
	const at = old.findIndex((message, index) => !isSameJson(message, now[index]));
	return at === -1 ? undefined : at;
}

function sameJson(before: readonly unknown[], after: readonly unknown[]): boolean {
	if (before === after) return true;
	return before.length === after.length && before.every((item, at) => isSameJson(item, after[at]));
}

function isSameJson(one: unknown, other: unknown): boolean {
	return one === other || JSON.stringify(one) === JSON.stringify(other);
}
