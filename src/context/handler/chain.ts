/** Runs handlers one after the other; each sees the envelope after the patches of those before it. */
import { untilAborted } from "../../base/async/until-aborted.ts";
import { EngineError } from "../../base/error/engine-error.ts";
import { errorText } from "../../base/error/error-text.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { ContextEnvelope } from "../envelope/envelope.ts";
import { applyPatch } from "../patch/patch.ts";
import { type ContextReason, makeTransform, type Transform } from "../patch/transform.ts";
import type { ContextHandler, HandlerContext, NamedHandler } from "./handler.ts";

/** A handler that threw, or whose patch was refused. */
export interface HandlerFailure {
	readonly handler: string;
	readonly reason: ContextReason | "message" | "compaction" | "replay";
	readonly error: unknown;
	/** True: nothing may be sent without this handler. */
	readonly stops?: boolean | undefined;
}

export interface Chained {
	readonly envelope: ContextEnvelope;
	readonly transforms: readonly Transform[];
	readonly reasons: readonly string[];
	readonly failures: readonly HandlerFailure[];
}

export interface ChainOptions {
	readonly reason: ContextReason;
	readonly beside: HandlerContext;
	readonly request?: string | undefined;
	/**
	 * Describes what is wrong with a request; undefined: it can be sent. A patch that breaks a sound request is refused.
	 */
	readonly check?: ((envelope: ContextEnvelope) => string | undefined) | undefined;
}

/** When one handler fails, the whole chain is dropped: a request gets all changes of its handlers, or none. */
export async function runChain(
	envelope: ContextEnvelope,
	handlers: readonly NamedHandler<ContextHandler>[],
	{ reason, beside, request, check }: ChainOptions,
): Promise<Chained> {
	const none = { envelope, transforms: [], reasons: [], failures: [] };
	if (handlers.length === 0) return none;
	let current = frozenCopy(envelope);
	const isSound = check?.(envelope) === undefined;
	const transforms: Transform[] = [];
	const reasons = new Set<string>();
	for (const { name, handle, onFailure } of handlers) {
		try {
			const shown = Object.freeze({ ...current, meta: beside });
			const event = { type: "context", reason, state: { envelope: shown } } as const;
			const result = await untilAborted(beside.signal, () => handle(event, beside));
			refuseOdd(result, "patch");
			if (!result?.patch || result.patch.length === 0) continue;
			const applied = applyPatch(current, result.patch, reason);
			// A patch that changes nothing is not stored.
			if (!applied.changed) continue;
			const wrong = isSound ? check?.(applied.envelope) : undefined;
			if (wrong !== undefined) throw new EngineError("refused", `No provider would take the request: ${wrong}`);
			const { transformerName = name, display } = result;
			transforms.push(makeTransform(reason, transformerName, applied.ops, { display: plain(display), request }));
			for (const each of applied.invalidateCacheReasons) reasons.add(each);
			current = frozenCopy(applied.envelope);
		} catch (error) {
			return { ...none, failures: [{ handler: name, reason, error, stops: onFailure === "stop" }] };
		}
	}
	return { envelope: current, transforms, reasons: [...reasons], failures: [] };
}

/** A misspelt answer would leave a request as it was, without a word. */
export function refuseOdd(result: unknown, key: "patch" | "message"): void {
	if (result === undefined || result === null) return;
	const known = [key, "transformerName", "display"];
	const isKnown = typeof result === "object" && Object.keys(result).every((each) => known.includes(each));
	if (isKnown) return;
	const expected = key === "patch" ? "{ patch: […] }" : "{ message }";
	throw new EngineError("usage", `It must return nothing or ${expected}.`);
}

/** It is stored, so it must survive JSON. */
function plain<Value>(value: Value): Value {
	return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}

const CONSEQUENCE: Readonly<Record<HandlerFailure["reason"], string>> = {
	before_request: "The request goes out without the changes of handlers.",
	ephemeral: "The request goes out without the changes of handlers.",
	turn_end: "What handlers wanted to change after this turn is left out.",
	message: "The message stays as it was.",
	replay: "Its stored change is left out.",
	compaction: "Nothing was sealed.",
};

const MAX_WHY_CHARS = 1_000;

/** One sentence for the user: which handler, when, why, and what happens now. */
export function describeFailure({ handler, reason, error, stops }: HandlerFailure): string {
	const why = cutStart(errorText(error), MAX_WHY_CHARS).replace(/\.$/, "");
	const consequence = (stops ? STOPPED[reason] : undefined) ?? CONSEQUENCE[reason];
	return `the handler ${handler} failed (${reason}): ${why}. ${consequence}`;
}

/** For a handler without which nothing may be sent. */
const STOPPED: Readonly<Partial<Record<HandlerFailure["reason"], string>>> = {
	before_request: "The request was not sent.",
	ephemeral: "The request was not sent.",
	message: "The message was withheld.",
};

/** Frozen copies for handlers, so that only a patch can change a request. */

/** Objects that this file froze at every level; they are not copied again for the next handler. */
const known = new WeakSet<object>();

/** Copies of frozen objects: the same source has the same copy at every request. */
const copies = new WeakMap<object, unknown>();

export function frozenCopy<Value>(value: Value): Value {
	if (value === null || typeof value !== "object" || known.has(value)) return value;
	const before = copies.get(value);
	if (before !== undefined) return before as Value;
	const copy = Array.isArray(value)
		? value.map((item) => frozenCopy(item))
		: // fromEntries defines each key, so that one named __proto__ stays a key.
			Object.fromEntries(Object.entries(value).map(([key, field]) => [key, frozenCopy(field)]));
	known.add(copy);
	const frozen = Object.freeze(copy);
	if (Object.isFrozen(value)) copies.set(value, frozen);
	return frozen as Value;
}
