/** A session of a log: ids of sessions are the agents' own, so the agent belongs to it. */
export interface SessionRef {
	readonly session: string;
	readonly host: string;
}

/** A session as the key of a map. */
export function sessionKey({ host, session }: SessionRef): string {
	return `${host} ${session}`;
}
