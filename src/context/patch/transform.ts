/** An applied patch with its author and reason: the stored form, and all that replay needs. */

import { EngineError } from "../../base/error/engine-error.ts";
import { asList, asName, asNumber, asObject, asText } from "../../base/json/read.ts";
import type { AnyPayload, GivenPayload } from "../../log/event/types.ts";
import type { Display } from "../handler/handler.ts";
import { type ContextPatchOp, PATCH_VERSION } from "./operation.ts";

/** compaction: the engine's own, at preflight or after a turn. */
export type TransformReason = ContextReason | "compaction";

/** Payload of a Transform event. */
export interface Transform {
	readonly schemaVersion: number;
	readonly reason: TransformReason;
	readonly transformerName: string;
	readonly patch: readonly ContextPatchOp[];
	readonly display?: Display | undefined;
	/** For ephemeral: the request that it belongs to. */
	readonly request?: string | undefined;
}

export function makeTransform(
	reason: TransformReason,
	transformerName: string,
	patch: readonly ContextPatchOp[],
	more: { readonly display?: Display | undefined; readonly request?: string | undefined } = {},
): Transform {
	return {
		schemaVersion: PATCH_VERSION,
		reason,
		transformerName,
		patch,
		display: more.display,
		request: more.request,
	};
}

/** The boundary whose rules a transform follows: a compaction is as durable as a change before a request. */
export function boundaryOf(reason: TransformReason): ContextReason {
	return reason === "compaction" ? "before_request" : reason;
}

/** As the payload of a Transform event. */
export function toPayload(transform: Transform): GivenPayload<"Transform"> {
	return { ...transform, patch: [...transform.patch] };
}

/** Reads the payload of a Transform event, or of an entry with the same fields. Its patch is checked when it is applied. */
export function readTransform(payload: AnyPayload): Transform {
	const display = asObject(payload["display"]) as Display | undefined;
	const patch = asList(payload["patch"]) as readonly ContextPatchOp[];
	const name = asText(payload["transformerName"]) ?? "";
	const transform = makeTransform(readReason(payload["reason"]), name, patch, {
		display,
		request: asName(payload["request"]),
	});
	return { ...transform, schemaVersion: asNumber(payload["schemaVersion"]) ?? transform.schemaVersion };
}

/** The document's entries name no boundary: they are durable. */
function readReason(reason: unknown): TransformReason {
	return reason === "turn_end" || reason === "compaction" || reason === "ephemeral" ? reason : "before_request";
}

/**
 * The boundary at which a handler runs. The changes of the first and the last are durable; `ephemeral` ones hold for one
 * request.
 */
export type ContextReason = "before_request" | "ephemeral" | "turn_end";

/** Checks the document's rules for a whole patch before any of it is applied. */
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
