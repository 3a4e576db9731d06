import type { Log } from "../log/log.ts";
import type { StateLog } from "./state.ts";

/** A log as it was at an event that moves on: what came later does not exist yet. */
export function logUpTo(log: Log, upTo: () => number): StateLog {
	return {
		readOnly: true,
		folder: log.folder,
		newestSeq: upTo,
		read: (query = {}) => log.read({ ...query, upTo: Math.min(query.upTo ?? upTo(), upTo()) }),
		hashAt: (seq) => log.hashAt(seq),
	};
}
