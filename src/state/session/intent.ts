/** The user's request in one line. */

import { cutStart } from "../../base/text/cut.ts";
import { type MessageView, messageText } from "../../message/view.ts";

/** Extracts the user's own words from a message: agents add text of theirs. */
export type OwnWords = (text: string) => string;

const MAX_INTENT_CHARS = 500;
/** No request begins after this much text. The limit keeps the folding of white space cheap. */
const MAX_SCANNED_CHARS = 100_000;

export function intentOf(view: MessageView, ownWords: OwnWords = (text) => text): string | undefined {
	if (view.role !== "user" || view.injected) return undefined;
	const said = foldIntent(ownWords(messageText(view).slice(0, MAX_SCANNED_CHARS)));
	return said === "" ? undefined : said;
}

/** True: the intent is only the beginning of the request. */
export function isCutIntent(intent: string): boolean {
	return intent.length >= MAX_INTENT_CHARS - 1;
}

/** Folds white space and cuts to 500 characters. */
export function foldIntent(text: string): string {
	return cutStart(text.slice(0, MAX_SCANNED_CHARS).replace(/\s+/g, " ").trim(), MAX_INTENT_CHARS).trimEnd();
}

/** Words that only tell the agent to continue. */
const GOING_ON =
	/^(?:(?:ok(?:ay)?|yes|yep|yeah|sure|thanks?|thank you|thx|great|good|perfect|nice|cool|please|continue|go on|go ahead|proceed|carry on|keep going|resume|next|done|do it|weiter|danke|ja|oui|merci|si|gracias|はい|続けて|계속|네|继续|好的?)[\s,.!…]*)+$/iu;
const MAX_GOING_ON_CHARS = 60;

/** True: the text asks for something. A slash command and "continue" do not. */
export function isRequest(text: string): boolean {
	const words = text.trim();
	if (/^\/[\w:.-]+(?:[ \t]+\S+){0,3}$/.test(words)) return false;
	return words !== "" && !(words.length <= MAX_GOING_ON_CHARS && GOING_ON.test(words));
}
