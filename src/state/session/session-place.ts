import { asName } from "../../base/json/read.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";

/** Where a session ran. Empty: unknown. */
export interface SessionPlace {
	readonly cwd: string;
	/** The project's folder: the repository around `cwd`, if the log has it. */
	readonly root: string;
}

export function placeOf(log: Log, { session, host }: SessionRef): SessionPlace {
	for (const { payload } of log.read({ session, host, types: ["SessionStarted"] })) {
		const cwd = asName(payload["cwd"]);
		if (cwd !== undefined) return { cwd, root: asName(payload["root"]) ?? cwd };
	}
	return { cwd: "", root: "" };
}
