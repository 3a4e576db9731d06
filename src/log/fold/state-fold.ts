import type { EventRecord } from "../event/types.ts";

/**
 * A fold whose state lives in memory. The state is plain JSON, a function of the records alone: no clock, no disk, no
 * random, no locale. `step` changes it in place, so that one more event costs the same however large the state is.
 * An event of an unknown type or version is passed over.
 */
export interface StateFold<State> {
	readonly name: string;
	/** Raise it when the rule or the state's shape changes: snapshots of another version are ignored. */
	readonly version: number;
	initial(): State;
	step(state: State, record: EventRecord): void;
}
