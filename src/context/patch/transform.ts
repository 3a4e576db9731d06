/** An applied patch with its author and reason: the stored form, and all that replay needs. */

import { asList, asName, asNumber, asObject, asText } from "../../base/json/read.ts";
import type { AnyPayload, GivenPayload } from "../../log/event/types.ts";
import type { Display } from "../handler/handler.ts";
import type { ContextReason } from "./boundary.ts";
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
