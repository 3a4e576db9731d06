/** What the user asked for, in one line; undefined when the message says nothing of the user's own. */

import { type MessageView, messageText } from "../message/view.ts";
import { sliceUnits } from "../text/truncate.ts";

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
	return sliceUnits(text.slice(0, MAX_SCANNED_CHARS).replace(/\s+/g, " ").trim(), MAX_INTENT_CHARS).trimEnd();
}
