import { EngineError } from "../base/error/engine-error.ts";
import { handleOf } from "../log/handle.ts";
import type { Log } from "../log/log.ts";
import type { StoredRecord } from "../log/read.ts";

/**
 * The event that a person or a model names: a handle (`e-…` any event, `m-…` a message), a seq (`42`, `#42`), an id
 * or the beginning of one.
 */
export function findEvent(log: Log, handle: string): StoredRecord {
	const name = handle.trim();
	if (/^[sb]-[0-9a-f]+$/i.test(name)) {
		throw new EngineError(
			"usage",
			`${name} is not an event but ${/^s/i.test(name) ? "a summary" : "a stored output"}. Try: weft expand ${name}`,
		);
	}
	const seq = /^#?(\d{1,15})$/.exec(name)?.[1];
	const found = /^[em]-/i.test(name) ? log.findHandle(name) : seq === undefined ? name : Number(seq);
	const stored = found === undefined ? undefined : log.getStored(found);
	if (!stored) throw new EngineError("not-found", missing(log, handle));
	if (/^m-/i.test(name) && stored.type !== "Message") {
		throw new EngineError("not-found", `${name} is not a message but a ${stored.type}. Try ${handleOf(stored)}.`);
	}
	return stored;
}

function missing(log: Log, handle: string): string {
	const newest = log.newestSeq();
	const range = newest === 0 ? "The log is empty." : `The newest is ${newest}; older ones may have been pruned.`;
	return `There is no event '${handle}'. ${range} Give a seq, an id or a handle; 'weft log' lists them.`;
}
