/** Measures against the raw limit: the arms take turns, so that a noisy machine disturbs them equally. */

const ROUNDS = 5;

export interface Ratio {
	readonly name: string;
	/** The work whose time divides ours. */
	readonly beside: string;
	readonly ratio: number;
	/** The ratio may be at most this. */
	readonly bound: number;
	readonly detail: string;
}

export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? itemAt(sorted, middle) : (itemAt(sorted, middle - 1) + itemAt(sorted, middle)) / 2;
}

/** The item at an index that must exist; a negative index counts from the end. */
export function itemAt<Item>(items: readonly Item[], index: number): Item {
	const item = items.at(index);
	if (item === undefined) throw new Error(`No item at ${index} of ${items.length}.`);
	return item;
}

export function timed(work: () => unknown): number {
	const start = performance.now();
	work();
	return performance.now() - start;
}

/** Processor time of this process, ms: other programs on the machine disturb it less than a clock. */
export function cpuMs(): number {
	const { user, system } = process.cpuUsage();
	return (user + system) / 1_000;
}

/**
 * The median, over five rounds after one for warming up, of (our median time / the other's median time) within a round.
 * `step` runs one unit of each arm in turn.
 */
export function medianRatio(
	perRound: number,
	ours: (n: number) => unknown,
	other: (n: number) => unknown,
): { ratio: number; oursMs: number; otherMs: number } {
	const rounds: { ours: number; other: number }[] = [];
	for (let round = 0, n = 0; round <= ROUNDS; round++) {
		const times = { ours: [] as number[], other: [] as number[] };
		for (let each = 0; each < perRound; each++, n++) {
			times.other.push(timed(() => other(n)));
			times.ours.push(timed(() => ours(n)));
		}
		if (round > 0) rounds.push({ ours: median(times.ours), other: median(times.other) });
	}
	return {
		ratio: median(rounds.map((round) => round.ours / round.other)),
		oursMs: median(rounds.map((round) => round.ours)),
		otherMs: median(rounds.map((round) => round.other)),
	};
}

export function micros(ms: number): string {
	return ms < 1 ? `${(ms * 1_000).toFixed(1)} µs` : `${ms.toFixed(2)} ms`;
}
