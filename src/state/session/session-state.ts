import { asName } from "../../base/json/read.ts";
import type { Log } from "../../log/log.ts";
import type { SessionRef } from "../../log/session-ref.ts";

/** A session as the log knows it. */

/** Events that weft writes about a session. They are not the session's activity, and may come much later. */
export const OWN_TYPES: ReadonlySet<string> = new Set([
	"Summary",
	"Seal",
	"Transform",
	"Request",
	"Verdict",
	"Fault",
	"Pruned",
	"RepoMap",
	"ResolvedElsewhere",
	"Consolidation",
	"ThreadMark",
	"ThreadOps",
]);

/** A session as `session_state` holds it. */
export interface SessionState {
	readonly session: string;
	readonly host: string;
	readonly cwd: string | null;
	/** Its name, or the user's first request. */
	readonly title: string | null;
	/** How good the title is: see `session-title.ts`. */
	readonly rank: number;
	/** 0: no event of the session has a time. */
	readonly first_ts: number;
	/** When the agent or the user last did something. */
	readonly last_ts: number;
	readonly messages: number;
	readonly last_seq: number;
}

/** True: an agent's session, not one under which weft itself or people at the command line write. */
export function isAgents({ messages, cwd }: SessionState): boolean {
	return messages > 0 || cwd !== null;
}

/** Where a session ran. Empty: unknown. */
interface SessionPlace {
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
