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
]);

/** A session as `session_state` holds it. */
export interface SessionState {
	readonly session: string;
	readonly host: string;
	readonly cwd: string | null;
	/** The user's first request. */
	readonly title: string | null;
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
