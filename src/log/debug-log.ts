import { appendFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const MAX_BYTES = 5_000_000;

/**
 * Writes to `debug.log` in the project's data folder, for people who want to know what weft did. Never throws. A full file
 * becomes `debug.log.1`.
 */
export function debugWriter(folder: string, now: () => number): (what: string, details?: object) => void {
	const path = join(folder, "debug.log");
	return (what, details) => {
		try {
			if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > MAX_BYTES) renameSync(path, `${path}.1`);
			const line = { time: new Date(now()).toISOString(), pid: process.pid, what, ...details };
			appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
		} catch {
			// A full disk must not stop the agent.
		}
	};
}
