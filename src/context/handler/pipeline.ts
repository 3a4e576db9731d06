/**
 * The order in which a request is made: replay, before_request, compaction preflight, ephemeral, the call, message
 * handlers, turn_end, compaction evaluation. Agents that own the loop call `prepareRequest`, `finishMessage` and
 * `endTurn` at their own callbacks. Nothing here reads a clock or writes a log: the caller stores what is returned.
 */

import { untilAborted } from "../../base/async/until-aborted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { asObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { Violation } from "../../message/validity.ts";
import { firstDisplaced } from "../envelope/difference.ts";
import type { ContextEnvelope, GivenMessage } from "../envelope/envelope.ts";
import { applyPatch } from "../patch/patch.ts";
import { type Replayed, type ReplayItem, replay } from "../patch/replay.ts";
import type { Transform } from "../patch/transform.ts";
import {
	type Chained,
	type ChainOptions,
	describeFailure,
	frozenCopy,
	type HandlerFailure,
	refuseOdd,
	runChain,
} from "./chain.ts";
import type { HandlerContext, Handlers, MessageHandler, MessageResult, NamedHandler } from "./handler.ts";

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
	/** Set: the request must not be sent, because a handler that it needs has failed. */
	readonly stopped?: HandlerFailure | undefined;
	/** Ids of messages before which something changed after they came. */
	readonly displaced: ReadonlySet<string>;
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
		const failed = [...failures, ...persistent.failures, ...compacted.failures, ...ephemeral.failures];
		const stopped = failed.find(({ stops }) => stops);
		const required = handlers.required();
		// The others' failure must not take the changes that the request needs with it.
		if (!stopped && required.context.length > 0) {
			const again = await prepareRequest({ ...input, handlers: required });
			return { ...again, failures: [...failed, ...again.failures] };
		}
		// The handlers' changes are incomplete, so this request is sent as the stored transforms make it.
		const [own] = compacted.transforms;
		const { envelope, transforms, reasons } = isBroken ? compacted : await compact(before, () => own);
		const displaced = displacedIn(envelope, replayed);
		return { envelope, durable: envelope, transforms, reasons, failures: failed, stopped, displaced };
	}
	const stages = [persistent, compacted, ephemeral];
	return {
		envelope: ephemeral.envelope,
		durable: compacted.envelope,
		transforms: stages.flatMap(({ transforms }) => transforms),
		reasons: [...new Set(stages.flatMap(({ reasons }) => reasons))],
		failures: [...failures, ...stages.flatMap((stage) => stage.failures)],
		displaced: displacedIn(ephemeral.envelope, replayed),
	};
}

/** Those of the stored changes, and of the changes that this request makes. */
function displacedIn(now: ContextEnvelope, { envelope, displaced }: Replayed): ReadonlySet<string> {
	const first = firstDisplaced(envelope, now);
	if (first === undefined) return displaced;
	return new Set([...displaced, ...now.messages.cached.slice(first).map(({ id }) => id)]);
}

interface TurnEndInput {
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

/** A handler that the request needs has failed: nothing may be sent. */
export class StoppedRequest extends EngineError {
	constructor(failure: HandlerFailure) {
		super("refused", describeFailure(failure), { cause: failure.error });
		this.name = "StoppedRequest";
	}
}

const MAX_FAULT_CHARS = 4_000;

interface Failed {
	readonly failures: readonly HandlerFailure[];
	readonly violations?: readonly Violation[] | undefined;
}

/** Failures of handlers, and requests that must not be sent: reported once, and logged once. */
export class HandlerFaults {
	readonly #warn: ((message: string) => void) | undefined;
	/** Already logged: a handler that fails at every request would fill the log. */
	readonly #recorded = new Set<string>();
	readonly #told = new Set<string>();

	constructor(warn: ((message: string) => void) | undefined) {
		this.#warn = warn;
	}

	/** Reports each handler once for each moment at which it runs. */
	tell(failures: readonly HandlerFailure[]): void {
		for (const failure of failures) {
			const key = `${failure.handler} ${failure.reason}`;
			if (failure.reason === "compaction" || this.#told.has(key)) continue;
			this.#told.add(key);
			this.#warn?.(describeFailure(failure));
		}
	}

	/** Those that are not in the log yet. */
	faults({ failures, violations = [] }: Failed, base: SessionRef & { readonly ts: number }): NewEvent[] {
		const payloads = [
			...failures.map(({ handler, reason, error }) => ({
				where: `handler ${handler}`,
				code: reason,
				message: cutStart(errorText(error), MAX_FAULT_CHARS),
			})),
			...violations.map(({ rule, message }) => ({ where: "assemble", code: rule, message })),
		];
		const fresh = payloads.filter((payload) => !this.#recorded.has(JSON.stringify(payload)));
		for (const payload of fresh) this.#recorded.add(JSON.stringify(payload));
		return fresh.map((payload) => ({ ...base, type: "Fault", payload }));
	}
}

interface Finished {
	/** null: dropped; only a user's message can be. */
	readonly message: GivenMessage | null;
	readonly changedBy: readonly string[];
	readonly failures: readonly HandlerFailure[];
}

/**
 * Runs the handlers of a finished message. A handler that fails, or returns something invalid, is skipped: the message
 * stays unchanged. If the message may not be shown without that handler, its words are withheld.
 */
export async function finishMessage(
	message: GivenMessage,
	handlers: readonly NamedHandler<MessageHandler>[],
	beside: HandlerContext,
): Promise<Finished> {
	let current = message;
	const changedBy: string[] = [];
	const failures: HandlerFailure[] = [];
	for (const { name, handle, onFailure } of handlers) {
		try {
			const event = { type: "message", message: frozenCopy(current) } as const;
			const result = await untilAborted(beside.signal, () => handle(event, beside));
			refuseOdd(result, "message");
			if (result?.message === undefined) continue;
			const next = accept(current, result);
			changedBy.push(result.transformerName ?? name);
			if (next === null) return { message: null, changedBy, failures };
			current = next;
		} catch (error) {
			const stops = onFailure === "stop";
			failures.push({ handler: name, reason: "message", error, stops });
			if (stops) {
				current = withheld(current, name);
				changedBy.push(name);
			}
		}
	}
	return { message: current, changedBy, failures };
}

/** A message without its words. Calls and their results stay: without them no provider takes the rest. */
function withheld(message: GivenMessage, handler: string): GivenMessage {
	const text = `[withheld: the handler ${handler} failed]`;
	const { content } = message;
	if (!Array.isArray(content)) return { ...message, content: text };
	const calls = content.filter((block) => asObject(block)?.["type"] === "toolCall");
	return { ...message, content: [{ type: "text", text }, ...calls] };
}

function accept(current: GivenMessage, { message }: MessageResult): GivenMessage | null {
	if (message === null || message === undefined) {
		if (current.role === "user") return null;
		throw new EngineError("refused", `Only a user's message can be left out, not one of the role '${current.role}'.`);
	}
	const next = JSON.parse(JSON.stringify(message)) as GivenMessage;
	if (next.role !== current.role) {
		throw new EngineError("refused", `A message handler may not change the role '${current.role}' to '${next.role}'.`);
	}
	return current.id === undefined ? next : { ...next, id: current.id };
}
