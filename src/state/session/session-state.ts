/** A session as the log knows it. */

/** What weft makes of a session. It is not the session's own activity, and may come much later. */
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
	/** The first thing that the user asked for. */
	readonly title: string | null;
	/** 0: nothing of it has a time. */
	readonly first_ts: number;
	/** When the agent or the user did something last. */
	readonly last_ts: number;
	readonly messages: number;
	readonly last_seq: number;
}

/** True: an agent's session, not one under which weft itself or people at the command line write. */
export function isAgents({ messages, cwd }: SessionState): boolean {
	return messages > 0 || cwd !== null;
}
