/** Search terms of a text, and the text of an item for the index. */
import { identifierParts, indexedText, spread } from "../../../log/search/words.ts";
import type { RecallItem } from "./item.ts";
import { isGrammar } from "./stop-words.ts";

/** A message may be a pasted file. */
const MAX_READ_CHARS = 20_000;
const MAX_WORD_CHARS = 60;
const WORD = /[\p{L}\p{N}]+/gu;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Distinct terms in lower case, in order: words, parts of identifiers, pairs of CJK characters. */
export function termsOf(text: string, { stopWords = true } = {}): readonly string[] {
	const terms = new Set<string>();
	const add = (word: string) => {
		const term = word.toLowerCase();
		if (term.length > MAX_WORD_CHARS || (stopWords && isGrammar(term))) return;
		terms.add(term);
	};
	for (const [word] of spread(text.slice(0, MAX_READ_CHARS), { open: true }).matchAll(WORD)) {
		add(word);
		const parts = identifierParts(word);
		if (parts.length > 1) for (const part of parts) add(part);
	}
	return [...terms];
}

/** The text to index. With `about`: also heading, day and paths. */
export function indexedItem(item: RecallItem, { about = true } = {}): string {
	const text = about
		? `${item.text}\n${item.heading} ${dayWords(item.date)} ${(item.paths ?? []).join(" ")}`
		: item.text;
	return indexedText(text);
}

/** Ways in which people write a day. In UTC, so that the bytes are the same everywhere. */
function dayWords(ms: number | undefined): string {
	if (ms === undefined || !Number.isFinite(ms)) return "";
	const date = new Date(ms);
	if (Number.isNaN(date.getTime())) return "";
	return `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${DAYS[date.getUTCDay()]}`;
}
