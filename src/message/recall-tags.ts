/**
 * The tags around recalled text in a user's message, and how to strip them. Code that learns from a message, searches it or
 * counts it as the user's must strip first: otherwise recalled text comes back as news.
 */

/** One wraps recalled text, the other the user's own words after it. */
export const CONTEXT_TAG = "runtime_context";
export const USER_TAG = "user_message";

const OPENING = `<${CONTEXT_TAG}>`;
const CLOSING = `</${CONTEXT_TAG}>`;
const WORDS = new RegExp(`^\\s*<${USER_TAG}>\\n?([\\s\\S]*?)\\n?</${USER_TAG}>\\s*$`);

/** Removes recalled blocks. A block that is not closed reaches to the end of the text. */
export function stripRecalled(text: string): string {
	if (!text.includes(OPENING)) return unwrapped(text);
	const kept: string[] = [];
	let at = 0;
	for (;;) {
		const start = text.indexOf(OPENING, at);
		if (start === -1) {
			kept.push(text.slice(at));
			break;
		}
		kept.push(text.slice(at, start));
		const end = text.indexOf(CLOSING, start);
		if (end === -1) break;
		at = end + CLOSING.length;
	}
	return unwrapped(kept.join("")).trim();
}

function unwrapped(text: string): string {
	return WORDS.exec(text)?.[1] ?? text;
}
