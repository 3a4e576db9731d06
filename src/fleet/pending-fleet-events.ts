/**
 * Events that a rule withheld from the fleet. They stay here even if the rule is removed, or the server or the project gets
 * another name. Stored in the log's file as ranges of seqs.
 */
import type { Log } from "../log/log.ts";

const WITHHELD = "fleet-withheld";

export type SeqRange = readonly [first: number, last: number];

export function readWithheld(log: Log): readonly SeqRange[] {
	const text = log.meta(WITHHELD);
	return text === undefined ? [] : (JSON.parse(text) as SeqRange[]);
}

export function withhold(log: Log, ranges: readonly SeqRange[]): void {
	if (ranges.length === 0) return;
	log.transaction(() => {
		const all = [...readWithheld(log), ...ranges].sort(([a], [b]) => a - b);
		const joined: [number, number][] = [];
		for (const [first, last] of all) {
			const before = joined.at(-1);
			if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
			else joined.push([first, last]);
		}
		log.setMeta(WITHHELD, JSON.stringify(joined));
	});
}

/** The ranges are sorted, so a binary search finds the one. */
export function isInRanges(ranges: readonly SeqRange[], seq: number): boolean {
	let [low, high] = [0, ranges.length - 1];
	while (low <= high) {
		const middle = (low + high) >> 1;
		const [first, last] = ranges[middle] ?? [0, 0];
		if (seq < first) high = middle - 1;
		else if (seq > last) low = middle + 1;
		else return true;
	}
	return false;
}
