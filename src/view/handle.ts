import { EngineError } from "../error/engine-error.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";

/**
 * The event that a person or a model names: a seq (`42`, `#42`), a handle (`e-42` any event, `m-42` a message), an id or
 * the beginning of one.
 */
export function findEvent(log: Log, handle: string): StoredRecord {
	const match = /^(?:#|(e-|m-))?(\d{1,15})$/.exec(handle.trim());
	const stored = log.getStored(match ? Number(match[2]) : handle.trim());
	if (!stored) throw new EngineError("not-found", missing(log, handle));
	if (match?.[1] === "m-" && stored.type !== "Message") {
		throw new EngineError(
			"not-found",
			`Event ${stored.seq} is not a message but a ${stored.type}. Try e-${stored.seq}.`,
		);
	}
	return stored;
}

function missing(log: Log, handle: string): string {
	const newest = log.newestSeq();
	const range = newest === 0 ? "The log is empty." : `The newest is ${newest}; older ones may have been pruned.`;
	return `There is no event '${handle}'. ${range} Give a seq, an id or a handle; 'weft log' lists them.`;
}
