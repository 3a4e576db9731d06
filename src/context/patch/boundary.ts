/**
 * The operations allowed at each boundary: the document's rules, checked for a whole patch before any of it is applied.
 */
import { EngineError } from "../../base/error/engine-error.ts";
import type { ContextPatchOp } from "./operation.ts";

/**
 * The boundary at which a handler runs. The changes of the first and the last are durable; `ephemeral` ones hold for one
 * request.
 */
export type ContextReason = "before_request" | "ephemeral" | "turn_end";

export function checkBoundary(ops: readonly ContextPatchOp[], reason: ContextReason): void {
	for (const op of ops) {
		if (op.scope === "uncached" && reason !== "ephemeral") {
			throw new EngineError(
				"refused",
				`Context patch op "${op.op}" has the scope "uncached", which only context(ephemeral) may use, not context(${reason}).`,
			);
		}
		// Whether a replacement only appends is known when it is applied.
		if (op.scope === "cached" && op.op !== "messages_cached_replace") requireReason(op);
	}
}

/** The reason of a cached operation; throws where there is none. */
export function requireReason(op: ContextPatchOp): string {
	const reason = "invalidateCacheReason" in op ? op.invalidateCacheReason?.trim() : undefined;
	if (reason) return reason;
	throw new EngineError(
		"refused",
		`Context patch op "${op.op}" modifies cached content but did not provide invalidateCacheReason`,
	);
}
