import type { Log } from "../../log/log.ts";
import type { ImportTarget } from "./import.ts";
import { MAX_BATCH_CHARS } from "./intake.ts";

/** A log as the target of an import: each batch is packed, folded and indexed while it is still in memory. */
export function importInto(log: Log): ImportTarget {
	return {
		append: (events) => {
			const result = log.append(events, { packed: true });
			log.foldMissing();
			// In one transaction: each leaves a segment of the index that is merged with others later.
			log.search.catchUp({ chars: 2 * MAX_BATCH_CHARS });
			return result;
		},
		read: (query) => log.read(query),
		putBlob: (bytes) => log.putBlob(bytes),
	};
}
