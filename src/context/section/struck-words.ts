/** What the user struck out is in no text that weft renders, also where a request, an answer or a summary has the words. */
import { estimateTokens } from "../../base/tokens/estimate.ts";
import { wordsInLine } from "../../message/enclosure.ts";
import { type ItemKind, threadItems } from "../../state/thread/items.ts";
import type { SessionThread } from "../../state/thread/thread.ts";
import { typedChars } from "../../state/thread/user-prose.ts";
import type { Seed } from "./section.ts";

const STRUCK = "[struck out]";
/** Items that are sentences. A step of a plan may be a part of many. */
const KINDS: readonly ItemKind[] = ["order", "rule", "correction", "decision", "finding", "dead-end"];
/** Shorter words are in other sentences by chance. */
const MIN_CHARS = 8;

export function withoutStruck<Rendered extends Pick<Seed, "text" | "tokens">>(
	seed: Rendered,
	thread: SessionThread | undefined,
	session: string,
): Rendered {
	if (!thread || !Object.values(thread.marks).includes("strike")) return seed;
	const struck = threadItems(thread, session, undefined, KINDS)
		.filter(({ state, text }) => state === "struck" && typedChars(text) >= MIN_CHARS)
		.flatMap(({ text }) => [text, wordsInLine(text)])
		.toSorted((one, other) => other.length - one.length);
	const text = struck.reduce((left, words) => replaceWhole(left, words, STRUCK), seed.text);
	return text === seed.text ? seed : { ...seed, text, tokens: estimateTokens(text) };
}

const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]/u;

/** The words are replaced where they are not a part of longer ones. */
function replaceWhole(text: string, words: string, by: string): string {
	let [left, from] = ["", 0];
	for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, from)) {
		const end = at + words.length;
		const isPart =
			(LETTER.test(text.charAt(at - 1)) && LETTER.test(words.charAt(0))) ||
			(LETTER.test(text.charAt(end)) && LETTER.test(words.charAt(words.length - 1)));
		left += text.slice(from, at) + (isPart ? words : by);
		from = end;
	}
	return left + text.slice(from);
}
