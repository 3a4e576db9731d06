/** A patch that was applied, with who made it and why: what is stored, and all that replay needs. */
import type { ContextReason } from "./boundary.ts";
import type { Display } from "./handler.ts";
import { type ContextPatchOp, PATCH_VERSION } from "./operation.ts";

/** compaction: the engine's own, at preflight or after a turn. */
export type TransformReason = ContextReason | "compaction";

/** Payload of a Transform event. */
export interface Transform {
	readonly schemaVersion: number;
	readonly reason: TransformReason;
	readonly transformerName: string;
	readonly patch: readonly ContextPatchOp[];
	readonly display?: Display;
	/** For ephemeral: the request that it belongs to. */
	readonly request?: string;
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
		...(more.display === undefined ? {} : { display: more.display }),
		...(more.request === undefined ? {} : { request: more.request }),
	};
}

/** The boundary whose rules hold for a transform: a compaction is as durable as what comes before a request. */
export function boundaryOf(reason: TransformReason): ContextReason {
	return reason === "compaction" ? "before_request" : reason;
}
