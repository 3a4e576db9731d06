/**
 * Rebuilds the envelope, and so the bytes, that were sent from stored messages and transforms. No handler runs: each
 * patch is applied at its place among the messages. A transform that cannot be applied (another branch, a damaged file)
 * is skipped as a whole and reported.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import { firstDisplaced } from "../envelope/difference.ts";
import { type ContextEnvelope, type EnvelopeMessage, withCached } from "../envelope/envelope.ts";
import { PATCH_VERSION } from "./operation.ts";
import { applyPatch } from "./patch.ts";
import { boundaryOf, type Transform } from "./transform.ts";

export type ReplayItem =
	| { readonly kind: "message"; readonly message: EnvelopeMessage }
	| { readonly kind: "transform"; readonly transform: Transform }
	/** The agent or a seal changed what is before: from this message on; null: from the first. The messages show the result. */
	| { readonly kind: "change"; readonly from: string | null };

export interface Replayed {
	readonly envelope: ContextEnvelope;
	/** Why bytes changed on the way, in order, each once. */
	readonly reasons: readonly string[];
	readonly skipped: readonly { readonly transformerName: string; readonly error: unknown }[];
	/** Ids of messages before which something changed after they came. */
	readonly displaced: ReadonlySet<string>;
}

/**
 * `base`: the agent's system parts, tools, options, and messages before the first item. `request`: also applies the
 * ephemeral transforms of that request, so the result is what was sent.
 */
export function replay(
	base: ContextEnvelope,
	items: Iterable<ReplayItem>,
	options: { readonly request?: string | undefined } = {},
): Replayed {
	let envelope = base;
	let arrived: EnvelopeMessage[] = [];
	const reasons = new Set<string>();
	const skipped: { transformerName: string; error: unknown }[] = [];
	const displaced = new Set<string>();
	const displaceFrom = (first: number): void => {
		for (const { id } of envelope.messages.cached.slice(first)) displaced.add(id);
	};
	const settle = (): void => {
		if (arrived.length > 0) envelope = withCached(envelope, [...envelope.messages.cached, ...arrived]);
		arrived = [];
	};
	for (const item of items) {
		if (item.kind === "message") {
			arrived.push(item.message);
			continue;
		}
		if (item.kind === "change") {
			settle();
			const { from } = item;
			const first = from === null ? 0 : envelope.messages.cached.findIndex(({ id }) => id === from);
			if (first >= 0) displaceFrom(first);
			continue;
		}
		const { transform } = item;
		if (
			transform.reason === "ephemeral" &&
			(transform.request === undefined || transform.request !== options.request)
		) {
			continue;
		}
		settle();
		try {
			refuseNewer(transform);
			const applied = applyPatch(envelope, transform.patch, boundaryOf(transform.reason));
			for (const reason of applied.invalidateCacheReasons) reasons.add(reason);
			const first = firstDisplaced(envelope, applied.envelope);
			envelope = applied.envelope;
			if (first !== undefined) displaceFrom(first);
		} catch (error) {
			skipped.push({ transformerName: transform.transformerName, error });
		}
	}
	settle();
	return { envelope, reasons: [...reasons], skipped, displaced };
}

function refuseNewer({ schemaVersion }: Transform): void {
	if (schemaVersion <= PATCH_VERSION) return;
	throw new EngineError("newer-schema", `The patch language ${schemaVersion} is newer than this weft; update weft.`);
}
