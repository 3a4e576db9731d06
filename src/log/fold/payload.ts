/** Fields of payloads, checked: another version of weft or a person may have written them. */
import type { AnyPayload } from "../event/types.ts";

export function textIn(payload: AnyPayload, key: string): string | null {
	const value = payload[key];
	return typeof value === "string" ? value : null;
}

export function numberIn(payload: AnyPayload, key: string): number | null {
	const value = payload[key];
	return typeof value === "number" && Number.isFinite(value) ? value : null;
}
