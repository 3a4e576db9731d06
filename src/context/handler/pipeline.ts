/**
 * The order in which a request is made: replay, before_request, compaction preflight, ephemeral, the call, message
 * handlers, turn_end, compaction evaluation. Agents that own the loop call `prepareRequest`, `finishMessage` and
 * `endTurn` at their own callbacks. Nothing here reads a clock or writes a log: the caller stores what is returned.
 */

import type { ContextEnvelope } from "../envelope/envelope.ts";
import { frozenCopy } from "../envelope/frozen.ts";
import { applyPatch } from "../patch/patch.ts";
import { type ReplayItem, replay } from "../patch/replay.ts";
import type { Transform } from "../patch/transform.ts";
import { type Chained, type ChainOptions, type HandlerFailure, runChain } from "./chain.ts";
import type { HandlerContext, Handlers } from "./handler.ts";

/** The engine's own seal or compaction: the patch to apply now, or none. */
export type Compact = (envelope: ContextEnvelope) => Transform | undefined | Promise<Transform | undefined>;

export interface PipelineInput {
	/** Id of the request, unique in its session. */
	readonly request: string;
	/**
	 * System parts, tools and options of the agent without messages, with `items` from the session's beginning. Or the
	 * durable envelope of the previous request with only the items since: then a long session costs no more than a short
	 * one.
	 */
	readonly base: ContextEnvelope;
	readonly items: Iterable<ReplayItem>;
	readonly handlers: Handlers;
	readonly preflight?: Compact | undefined;
	readonly beside: HandlerContext;
	readonly check?: ChainOptions["check"];
}

export interface PreparedRequest {
	/** The request to send. */
	readonly envelope: ContextEnvelope;
	/** The part that stays: without this request's ephemeral changes. */
	readonly durable: ContextEnvelope;
	/** New ones, to be stored together, in this order; ephemeral ones name the request. */
	readonly transforms: readonly Transform[];
	/** Why bytes that were sent before differ. */
	readonly reasons: readonly string[];
	readonly failures: readonly HandlerFailure[];
}

export async function prepareRequest(input: PipelineInput): Promise<PreparedRequest> {
	const { request, handlers, beside, check } = input;
	const replayed = replay(input.base, input.items);
	const failures: HandlerFailure[] = replayed.skipped.map(({ transformerName, error }) => ({
		handler: transformerName,
		reason: "replay",
		error,
	}));
	// Frozen only if a handler could change it.
	const before = handlers.context.length > 0 ? frozenCopy(replayed.envelope) : replayed.envelope;
	const persistent = await runChain(before, handlers.context, { reason: "before_request", beside, check });
	const compacted = await compact(persistent.envelope, input.preflight);
	const isBroken = persistent.failures.length > 0;
	const asked = isBroken ? [] : handlers.context;
	const ephemeral = await runChain(compacted.envelope, asked, { reason: "ephemeral", beside, check, request });
	if (isBroken || ephemeral.failures.length > 0) {
		// The handlers' changes are incomplete, so this request is sent as the stored transforms make it.
		const [own] = compacted.transforms;
		const { envelope, transforms, reasons } = isBroken ? compacted : await compact(before, () => own);
		const all = [...failures, ...persistent.failures, ...compacted.failures, ...ephemeral.failures];
		return { envelope, durable: envelope, transforms, reasons, failures: all };
	}
	const stages = [persistent, compacted, ephemeral];
	return {
		envelope: ephemeral.envelope,
		durable: compacted.envelope,
		transforms: stages.flatMap(({ transforms }) => transforms),
		reasons: [...new Set(stages.flatMap(({ reasons }) => reasons))],
		failures: [...failures, ...stages.flatMap((stage) => stage.failures)],
	};
}

export interface TurnEndInput {
	/** The durable envelope with the turn's messages in it. */
	readonly envelope: ContextEnvelope;
	readonly handlers: Handlers;
	readonly evaluate?: Compact | undefined;
	readonly beside: HandlerContext;
}

export async function endTurn({ envelope, handlers, evaluate, beside }: TurnEndInput): Promise<Chained> {
	const chained = await runChain(envelope, handlers.context, { reason: "turn_end", beside });
	const compacted = await compact(chained.envelope, evaluate);
	return {
		envelope: compacted.envelope,
		transforms: [...chained.transforms, ...compacted.transforms],
		reasons: [...new Set([...chained.reasons, ...compacted.reasons])],
		failures: [...chained.failures, ...compacted.failures],
	};
}

/** A failed compaction is skipped: the request is larger, but complete. */
async function compact(envelope: ContextEnvelope, ask: Compact | undefined): Promise<Chained> {
	const none = { envelope, transforms: [], reasons: [], failures: [] };
	try {
		const transform = await ask?.(envelope);
		if (!transform) return none;
		const applied = applyPatch(envelope, transform.patch, "before_request");
		return {
			envelope: applied.envelope,
			transforms: [{ ...transform, patch: applied.ops }],
			reasons: applied.invalidateCacheReasons,
			failures: [],
		};
	} catch (error) {
		return { ...none, failures: [{ handler: "compaction", reason: "compaction", error }] };
	}
}
