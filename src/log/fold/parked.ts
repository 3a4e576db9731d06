/**
 * States that a runner of this process has left behind when its log was closed. A host that opens the log for every turn
 * goes on from there, and folds only what came since. Whoever takes one owns it. It counts only where the log still has its
 * event, by chain hash, as with snapshots.
 */
export interface Parked {
	readonly seq: number;
	/** Chain hash of the event at seq. */
	readonly hash: string;
	readonly running: unknown;
}

/** Projects that are worked on at the same time. */
const MAX_PARKED = 4;

const places = new Map<string, Parked>();

export function park(key: string, parked: Parked): void {
	places.delete(key);
	places.set(key, parked);
	if (places.size > MAX_PARKED) places.delete(places.keys().next().value!);
}

export function takeParked(key: string): Parked | undefined {
	const parked = places.get(key);
	places.delete(key);
	return parked;
}
