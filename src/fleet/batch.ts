/** Reads the next batch to ship: whole steps of this machine's own work, without excluded ones. Bounded. */

import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import type { Excludes } from "./exclude.ts";
import { isInRanges, readWithheld, type SeqRange } from "./pending-fleet-events.ts";

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
