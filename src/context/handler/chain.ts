/** Asks handlers one after the other; each sees the envelope after the patches of those before it. */

import type { ContextEnvelope } from "../envelope/envelope.ts";
import { frozenCopy } from "../envelope/frozen.ts";
import type { ContextReason } from "../patch/boundary.ts";
import { applyPatch } from "../patch/patch.ts";
import { makeTransform, type Transform } from "../patch/transform.ts";
import type { ContextHandler, HandlerContext, Named } from "./handler.ts";
import { untilAborted } from "./until-aborted.ts";

/** A handler that threw, or whose patch was refused. */
export interface HandlerFailure {
	readonly handler: string;
	readonly reason: ContextReason | "message" | "compaction" | "replay";
	readonly error: unknown;
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
	readonly request?: string;
}

/**
 * A durable reason: when one handler fails, nothing of the whole chain holds, because a half-patched history would stay.
 * Ephemeral: the one that failed is passed over, the others hold.
 */
export async function runChain(
	envelope: ContextEnvelope,
	handlers: readonly Named<ContextHandler>[],
	{ reason, beside, request }: ChainOptions,
): Promise<Chained> {
	if (handlers.length === 0) return { envelope, transforms: [], reasons: [], failures: [] };
	let current = frozenCopy(envelope);
	const transforms: Transform[] = [];
	const reasons = new Set<string>();
	const failures: HandlerFailure[] = [];
	for (const { name, handle } of handlers) {
		try {
			const event = { type: "context", reason, state: { envelope: current } } as const;
			const result = await untilAborted(beside.signal, () => handle(event, beside));
			if (!result?.patch || result.patch.length === 0) continue;
			const applied = applyPatch(current, result.patch, reason);
			const { transformerName = name, display } = result;
			transforms.push(makeTransform(reason, transformerName, applied.ops, { display: plain(display), request }));
			for (const each of applied.invalidateCacheReasons) reasons.add(each);
			current = frozenCopy(applied.envelope);
		} catch (error) {
			const failure = { handler: name, reason, error };
			if (reason !== "ephemeral") return { envelope, transforms: [], reasons: [], failures: [failure] };
			failures.push(failure);
		}
	}
	return { envelope: current, transforms, reasons: [...reasons], failures };
}

/** For people, and stored: it must survive JSON. */
function plain<Value>(value: Value): Value {
	return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as Value);
}
