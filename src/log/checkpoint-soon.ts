import type { Log } from "./log.ts";

/** Moves the WAL into the database when nobody waits: after what runs now. The log may be closed by then. */
export function checkpointSoon(log: Log): void {
	setImmediate(() => {
		try {
			if (log.isOpen) log.checkpoint();
		} catch {
			// The WAL stays until somebody else moves it.
		}
	});
}
