import type { AnyPayload, EventRecord } from "../event/types.ts";

/**
 * A fold whose state is in memory. The state is plain JSON, a function of the records alone: no clock, disk, randomness or
 * locale. `step` changes it in place, so that an event costs the same in a state of any size. Skips events of unknown types
 * and versions.
 */
export interface StateFold<State> {
	readonly name: string;
	/** Raise it when the rule or the shape of the state changes: snapshots of other versions are ignored. */
	readonly version: number;
	initial(): State;
	step(state: State, record: EventRecord): void;
}

/** Fields of payloads, checked: another version of weft or a person may have written them. */
export function textIn(payload: AnyPayload, key: string): string | null {
	const value = payload[key];
	return typeof value === "string" ? value : null;
}

export function numberIn(payload: AnyPayload, key: string): number | null {
	const value = payload[key];
	return typeof value === "number" && Number.isFinite(value) ? value : null;
}
