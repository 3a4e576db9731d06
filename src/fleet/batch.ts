/** Reads from a log what is to leave next: whole steps, of this machine alone, without what is excluded. Bounded. */

import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";
import type { Excludes } from "./exclude.ts";
import { isKept, readKept, type SeqRange } from "./pending-fleet-events.ts";

const MAX_EVENTS = 1_000;
const MAX_CHARS = 2_000_000;

export interface Batch {
	readonly records: readonly StoredRecord[];
	/** The log was looked at up to here. */
	readonly seq: number;
	readonly excluded: number;
	/** The events that stay here for good. */
	readonly kept: readonly SeqRange[];
	readonly isLast: boolean;
}

export interface BatchBounds {
	readonly events?: number | undefined;
	readonly chars?: number | undefined;
}

export function readBatch(log: Log, after: number, excludes: Excludes, bounds: BatchBounds = {}): Batch {
	const records: StoredRecord[] = [];
	const before = readKept(log);
	const kept: SeqRange[] = [];
	let step: StoredRecord[] = [];
	let [seq, chars, excluded] = [after, 0, 0];
	const take = () => {
		// What came from elsewhere was shipped there, or is its owner's to ship. What is lost cannot be copied.
		const own = step.filter(({ origin, lost }) => origin === log.options.origin && lost === undefined);
		if (own.length > 0 && (isKept(before, step[0]!.seq) || excludes(step))) {
			excluded += own.length;
			kept.push([step[0]!.seq, step.at(-1)!.seq]);
		} else for (const record of own) records.push(record);
		seq = step.at(-1)?.seq ?? seq;
		chars += own.reduce((sum, { text }) => sum + text.length, 0);
		step = [];
	};
	for (const record of log.readStored({ after })) {
		// A step is appended in one transaction: it is there as a whole.
		if (step.length > 0 && record.cause !== step[0]!.seq) {
			take();
			if (records.length >= (bounds.events ?? MAX_EVENTS) || chars >= (bounds.chars ?? MAX_CHARS)) {
				return { records, seq, excluded, kept, isLast: false };
			}
		}
		step.push(record);
	}
	take();
	return { records, seq, excluded, kept, isLast: true };
}
