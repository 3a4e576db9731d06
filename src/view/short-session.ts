/** Apart from `text-style.ts`, because the inspector's page loads it in a browser. */

const SHORT_CHARS = 13;

/**
 * The beginning of a session's id, for lists. Ids of files and v7 UUIDs differ late, so it is not very short. For a sub-agent:
 * a slash and the beginning of its own name.
 */
export function shortSession(session: string): string {
	const own = session.lastIndexOf("/");
	return own === -1 ? session.slice(0, SHORT_CHARS) : session.slice(own, own + 1 + SHORT_CHARS);
}

/** What a list calls a session: the user's first request. A sub-agent may have none. */
export function sessionTitle({ title, session }: { readonly title: string | null; readonly session: string }): string {
	return title ?? (session.includes("/") ? "sub-agent" : "–");
}
