/** Apart from `text-style.ts`, because the inspector's page loads it in a browser. */

const SHORT_CHARS = 13;
const SHORTEST_CHARS = 8;

/**
 * The beginning of a session's id, for lists. Ids of files and v7 UUIDs differ late, so it is not very short. For a sub-agent:
 * a slash and the beginning of its own name.
 */
export function shortSession(session: string): string {
	return cutId(session, SHORT_CHARS);
}

function cutId(session: string, chars: number): string {
	const own = session.lastIndexOf("/");
	return own === -1 ? session.slice(0, chars) : session.slice(own, own + 1 + chars);
}

/** Shorter names for narrow screens: as many characters as tell the sessions of a list apart. */
export function shortestNames(sessions: readonly string[]): (session: string) => string {
	const ids = new Set(sessions);
	let chars = SHORTEST_CHARS;
	while (chars < SHORT_CHARS && new Set([...ids].map((id) => cutId(id, chars))).size < ids.size) chars++;
	return (session) => cutId(session, chars);
}

/** What a list calls a session. A sub-agent may have no title. */
export function sessionTitle({ title, session }: { readonly title: string | null; readonly session: string }): string {
	return title ?? (session.includes("/") ? "sub-agent" : "–");
}

/** The model without its provider, its maker's name and its release date. */
export function shortModel(model: string | null): string {
	return model === null
		? "–"
		: model
				.replace(/^.*\//, "")
				.replace(/^claude-/, "")
				.replace(/-20\d{6}$/, "");
}
