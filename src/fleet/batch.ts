/** Reads the next batch to ship: whole steps of this machine's own work, without excluded ones. Bounded. */
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import type { Excludes } from "./exclude.ts";

const MAX_BATCH_EVENTS = 1_000;
const MAX_BATCH_CHARS = 2_000_000;

export interface Batch {
	readonly records: readonly StoredRecord[];
	/** The last event that was read. */
	readonly seq: number;
	readonly excluded: number;
	/** Excluded events, which stay here for good. */
	readonly withheld: readonly SeqRange[];
	readonly isLast: boolean;
}

export interface BatchBounds {
	readonly events?: number | undefined;
	readonly chars?: number | undefined;
}

export function readBatch(log: Log, after: number, excludes: Excludes, bounds: BatchBounds = {}): Batch {
	const records: StoredRecord[] = [];
	const before = readWithheld(log);
	const withheld: SeqRange[] = [];
	let step: StoredRecord[] = [];
	let [seq, chars, excluded] = [after, 0, 0];
	const take = () => {
		// Another machine ships its own events. A lost event cannot be copied.
		const own = step.filter(({ origin, lost }) => origin === log.options.origin && lost === undefined);
		const [first, last] = [step[0]?.seq ?? seq, step.at(-1)?.seq ?? seq];
		if (own.length > 0 && (isInRanges(before, first) || excludes(step))) {
			excluded += own.length;
			withheld.push([first, last]);
		} else for (const record of own) records.push(record);
		seq = last;
		chars += own.reduce((sum, { text }) => sum + text.length, 0);
		step = [];
	};
	for (const record of log.readStored({ after })) {
		// A step is appended in one transaction, so it is complete.
		if (step[0] && record.cause !== step[0].seq) {
			take();
			if (records.length >= (bounds.events ?? MAX_BATCH_EVENTS) || chars >= (bounds.chars ?? MAX_BATCH_CHARS)) {
				return { records, seq, excluded, withheld, isLast: false };
			}
		}
		step.push(record);
	}
	take();
	return { records, seq, excluded, withheld, isLast: true };
}

const WITHHELD = "fleet-withheld";

type SeqRange = readonly [first: number, last: number];

/**
 * Events that a rule withheld from the fleet. They stay here even if the rule is removed, or the server or the project gets
 * another name. Stored in the log's file as ranges of seqs.
 */
function readWithheld(log: Log): readonly SeqRange[] {
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
function isInRanges(ranges: readonly SeqRange[], seq: number): boolean {
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
