import type { Log } from "../log/log.ts";
import type { ImportTarget } from "./import.ts";

/** A log as the target of an import: each batch is packed, folded and indexed while it is still in memory. */
export function importInto(log: Log): ImportTarget {
	return {
		append: (events) => {
			const result = log.append(events, { packed: true });
			log.foldMissing();
			log.search.catchUp();
			return result;
		},
		read: (query) => log.read(query),
		putBlob: (bytes) => log.putBlob(bytes),
	};
}
