const SHORT_CHARS = 13;

/**
 * The beginning of a session's id that people see in lists; ids of files and v7 UUIDs differ late, so it is not short. Of a
 * sub-agent's the beginning of its own name, after a slash.
 */
export function shortSession(session: string): string {
	const own = session.lastIndexOf("/");
	return own === -1 ? session.slice(0, SHORT_CHARS) : session.slice(own, own + 1 + SHORT_CHARS);
}
