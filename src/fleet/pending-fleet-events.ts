/**
 * Which events a rule kept back from the fleet. The rule may go, the server may get another address, the project another name:
 * what was meant to stay here stays. Kept in the log's own file, as ranges of seqs.
 */
import type { Log } from "../log/log.ts";

const KEPT = "fleet-kept";

export type SeqRange = readonly [first: number, last: number];

export function readKept(log: Log): readonly SeqRange[] {
	const text = log.meta(KEPT);
	return text === undefined ? [] : (JSON.parse(text) as SeqRange[]);
}

export function keepBack(log: Log, ranges: readonly SeqRange[]): void {
	if (ranges.length === 0) return;
	log.transaction(() => {
		const all = [...readKept(log), ...ranges].sort(([a], [b]) => a - b);
		const joined: [number, number][] = [];
		for (const [first, last] of all) {
			const before = joined.at(-1);
			if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
			else joined.push([first, last]);
		}
		log.setMeta(KEPT, JSON.stringify(joined));
	});
}

/** Ranges are sorted: halving finds the one. */
export function isKept(ranges: readonly SeqRange[], seq: number): boolean {
	let [low, high] = [0, ranges.length - 1];
	while (low <= high) {
		const middle = (low + high) >> 1;
		const [first, last] = ranges[middle]!;
		if (seq < first) high = middle - 1;
		else if (seq > last) low = middle + 1;
		else return true;
	}
	return false;
}
