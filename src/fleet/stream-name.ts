import { EngineError } from "../base/error/engine-error.ts";
import type { Log } from "../log/log.ts";
import { logId } from "../log/retention/archive.ts";

/** The name of a log in the fleet. */
export function streamName(log: Log): string {
	const name = logId(log);
	if (name === undefined) throw new EngineError("read-only", "This log cannot be written, and has no name yet.");
	return name;
}
