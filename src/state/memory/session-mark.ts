/** How a line of HISTORY.md names its session. */

const WHOLE_CHARS = 24;
const FIRST_CHARS = 13;
const LAST_CHARS = 4;
const COUNTED = /\s*\(session [^()]{1,40}\)(?:: [\d,]+ turns?, [\d,]+ commands?\.)?/g;

/** Keeps the end of long ids: ids made from the clock share their beginning. */
export function markOf(session: string): string {
	const plain = session.replace(/[^\w.:@+~-]+/g, "-");
	const name = plain.length <= WHOLE_CHARS ? plain : `${plain.slice(0, FIRST_CHARS)}…${plain.slice(-LAST_CHARS)}`;
	return `(session ${name})`;
}

export function withoutMark(text: string): string {
	return text.replace(COUNTED, "");
}
