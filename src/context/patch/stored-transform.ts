/** Patches on their way into the log: each has a name, by which the request that made it finds it again. */
import type { NewEvent } from "../../log/event/types.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import { type Transform, toPayload } from "./transform.ts";

export interface StoredTransform {
	readonly name: string;
	readonly transform: Transform;
	/** ms since the epoch. */
	readonly at: number;
}

/** `name`: of the request or the turn that made them. */
export function nameTransforms(transforms: readonly Transform[], name: string, at: number): StoredTransform[] {
	return transforms.map((transform, nth) => ({ name: `transform ${name}/${nth}`, transform, at }));
}

export function transformEvent(
	{ name, transform }: StoredTransform,
	leaf: number | undefined,
	base: SessionRef & { readonly ts: number },
): NewEvent {
	return { ...base, type: "Transform", entry: name, cause: leaf, payload: toPayload(transform) };
}
