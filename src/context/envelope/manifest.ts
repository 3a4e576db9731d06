/** The payload of a Request event: the record of a request that was sent. */
import { commonLength } from "../../base/collection/sorted.ts";
import type { GivenPayload, Payload } from "../../log/event/types.ts";
import type { Segment, SegmentItem } from "./bytes.ts";
import { type Difference, firstDifference, tokensBefore, totalTokens } from "./difference.ts";

/** Below this no provider caches anything. */
export const MIN_CACHED_TOKENS = 1_024;

export interface ManifestInput {
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
	readonly base?: string | undefined;
}

export function makeManifest(input: ManifestInput): GivenPayload<"Request"> {
	const { request, segments, last, reasons, model, mode, base } = input;
	const difference = last ? firstDifference(last.segments, segments) : null;
	const kept = last ? commonLength(allItems(last.segments), allItems(segments), isSameItem) : 0;
	return {
		request,
		model,
		mode,
		segments: segments.map(({ name, bytes, tokens, sha256 }) => ({ name, bytes, tokens, sha256 })),
		kept,
		items: allItems(segments)
			.slice(kept)
			.map((item) => ({ ...item })),
		reasons: [...reasons],
		difference: difference && { ...difference },
		predicted: predict(input, difference),
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
