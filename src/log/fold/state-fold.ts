import type { EventRecord } from "../event/types.ts";

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
