/**
 * The order in which a request is made: replay, before_request, compaction preflight, ephemeral, the call, message
 * handlers, turn_end, compaction evaluation. Hosts that own the loop call `prepareRequest`, `finishMessage` and `endTurn` at
 * their own callbacks; plain code runs a whole turn by `runTurn`. Nothing here reads a clock or writes a log: what must
 * be stored is handed back.
 */

import type { ContextEnvelope, EnvelopeMessage, GivenMessage } from "../envelope/envelope.ts";
import { frozenCopy } from "../envelope/frozen.ts";
import { identify, idsOf } from "../patch/message-id.ts";
import type { ContextPatchOp } from "../patch/operation.ts";
import { applyPatch } from "../patch/patch.ts";
import { type ReplayItem, replay } from "../patch/replay.ts";
import { makeTransform, type Transform } from "../patch/transform.ts";
import { type Chained, type Failure, runChain } from "./chain.ts";
import type { Beside, Handlers } from "./handler.ts";
import { finishMessage } from "./message-hook.ts";

/** The engine's own compaction or seal: the patch to apply now, or none. */
export type Compact = (
	envelope: ContextEnvelope,
	beside: Beside,
) => readonly ContextPatchOp[] | undefined | Promise<readonly ContextPatchOp[] | undefined>;

export interface RequestInput {
	/** Id of the request, unique in its session. */
	readonly request: string;
	/**
	 * What the host gives: system parts, tools, options, no messages; `items` then is the session from its beginning. Or the
	 * durable envelope of the request before, and only what came since: a long session then costs no more than a short one.
	 */
	readonly base: ContextEnvelope;
	readonly items: Iterable<ReplayItem>;
	readonly handlers: Handlers;
	readonly preflight?: Compact;
	readonly beside: Beside;
}

export interface PreparedRequest {
	/** What leaves. */
	readonly envelope: ContextEnvelope;
	/** What stays: without this request's ephemeral changes. */
	readonly durable: ContextEnvelope;
	/** New ones, to be stored together, in this order; ephemeral ones are marked with the request. */
	readonly transforms: readonly Transform[];
	/** Why bytes that were sent before differ. */
	readonly reasons: readonly string[];
	readonly failures: readonly Failure[];
}

export async function prepareRequest(input: RequestInput): Promise<PreparedRequest> {
	const { request, handlers, beside } = input;
	const replayed = replay(input.base, input.items);
	const failures: Failure[] = replayed.skipped.map(({ transformerName, error }) => ({
		handler: transformerName,
		reason: "replay",
		error,
	}));
	const before = frozenCopy(replayed.envelope);
	const persistent = await runChain(before, handlers.context, { reason: "before_request", beside });
	if (persistent.failures.length > 0) {
		// What a durable handler wanted is not known whole: this request goes out as the stored transforms make it.
		return {
			envelope: before,
			durable: before,
			transforms: [],
			reasons: [],
			failures: [...failures, ...persistent.failures],
		};
	}
	const compacted = await compact(persistent.envelope, input.preflight, beside);
	const ephemeral = await runChain(compacted.envelope, handlers.context, { reason: "ephemeral", beside, request });
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
	readonly evaluate?: Compact;
	readonly beside: Beside;
}

export async function endTurn({ envelope, handlers, evaluate, beside }: TurnEndInput): Promise<Chained> {
	const chained = await runChain(envelope, handlers.context, { reason: "turn_end", beside });
	const compacted = await compact(chained.envelope, evaluate, beside);
	return {
		envelope: compacted.envelope,
		transforms: [...chained.transforms, ...compacted.transforms],
		reasons: [...new Set([...chained.reasons, ...compacted.reasons])],
		failures: [...chained.failures, ...compacted.failures],
	};
}

export interface TurnInput extends RequestInput {
	/** Calls the model, runs its tools, and gives back the assistant's message and the results. */
	readonly call: (request: PreparedRequest, beside: Beside) => Promise<readonly GivenMessage[]>;
	readonly evaluate?: Compact;
}

export interface Turn {
	readonly prepared: PreparedRequest;
	/** What the next turn's replay takes behind what this one had: messages and transforms, in order. */
	readonly items: readonly ReplayItem[];
	readonly envelope: ContextEnvelope;
	readonly failures: readonly Failure[];
}

export async function runTurn(input: TurnInput): Promise<Turn> {
	const { handlers, beside } = input;
	const prepared = await prepareRequest(input);
	const answered = await input.call(prepared, beside);
	const failures = [...prepared.failures];
	const finished: GivenMessage[] = [];
	for (const message of answered) {
		const outcome = await finishMessage(message, handlers.message, beside);
		failures.push(...outcome.failures);
		if (outcome.message) finished.push(outcome.message);
	}
	const present = prepared.durable.messages;
	const messages = identify(finished, idsOf(present.cached, present.uncached));
	const { envelope } = replay(prepared.durable, messages.map(asItem));
	const ended = await endTurn({
		envelope,
		handlers,
		beside,
		...(input.evaluate ? { evaluate: input.evaluate } : {}),
	});
	return {
		prepared,
		items: [...prepared.transforms.map(toItem), ...messages.map(asItem), ...ended.transforms.map(toItem)],
		envelope: ended.envelope,
		failures: [...failures, ...ended.failures],
	};
}

/** A compaction that fails is left out: the request is larger, and whole. */
async function compact(envelope: ContextEnvelope, ask: Compact | undefined, beside: Beside): Promise<Chained> {
	const none = { envelope, transforms: [], reasons: [], failures: [] };
	try {
		const patch = await ask?.(frozenCopy(envelope), beside);
		if (!patch || patch.length === 0) return none;
		const applied = applyPatch(envelope, patch, "before_request");
		return {
			envelope: applied.envelope,
			transforms: [makeTransform("compaction", "compaction", applied.ops)],
			reasons: applied.invalidateCacheReasons,
			failures: [],
		};
	} catch (error) {
		return { ...none, failures: [{ handler: "compaction", reason: "compaction", error }] };
	}
}

function asItem(message: EnvelopeMessage): ReplayItem {
	return { kind: "message", message };
}

function toItem(transform: Transform): ReplayItem {
	return { kind: "transform", transform };
}
