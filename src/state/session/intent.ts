/** What the user asked for, in one line; undefined when the message says nothing of the user's own. */

import { cutStart } from "../../base/text/cut.ts";
import { type MessageView, messageText } from "../../message/view.ts";

/** What of a user's message the user has said: hosts put text of their own around it. */
export type OwnWords = (text: string) => string;

const MAX_INTENT_CHARS = 500;
/** A request does not come after more text than this; the limit keeps the folding of white space cheap. */
const MAX_SCANNED_CHARS = 100_000;

export function intentOf(view: MessageView, ownWords: OwnWords = (text) => text): string | undefined {
	if (view.role !== "user" || view.injected) return undefined;
	const said = foldIntent(ownWords(messageText(view).slice(0, MAX_SCANNED_CHARS)));
	return said === "" ? undefined : said;
}

/** True: the intent is the beginning of what was said. */
export function isCutIntent(intent: string): boolean {
	return intent.length >= MAX_INTENT_CHARS - 1;
}

/** White space folded, at most 500 characters, no character cut in two. */
export function foldIntent(text: string): string {
	return cutStart(text.slice(0, MAX_SCANNED_CHARS).replace(/\s+/g, " ").trim(), MAX_INTENT_CHARS).trimEnd();
}

/** Words that only let the work go on. */
const GOING_ON =
	/^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|thanks?|thank you|thx|great|good|perfect|nice|cool|please|continue|go on|go ahead|proceed|carry on|keep going|resume|next|done|do it|weiter|danke|ja|oui|merci|si|gracias|はい|続けて|계속|네|继续|好的?)[\s,.!…]*)+$/iu;
const MAX_GOING_ON_CHARS = 60;

/** True: it asks for something. A command to the host and a word that lets the work go on do not. */
export function isRequest(text: string): boolean {
	const words = text.trim();
	if (/^\/[\w:.-]+(?:[ \t]+\S+){0,3}$/.test(words)) return false;
	return words !== "" && !(words.length <= MAX_GOING_ON_CHARS && GOING_ON.test(words));
}
