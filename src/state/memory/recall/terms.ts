/** The words of a text by which it is looked for, and the text of an item as the index takes it. */
import { identifierParts, indexedText, spread } from "../../../log/search/words.ts";
import type { RecallItem } from "./item.ts";
import { isGrammar } from "./stop-words.ts";

/** A message may be a pasted file. */
const MAX_READ_CHARS = 20_000;
const MAX_WORD_CHARS = 60;
const WORD = /[\p{L}\p{N}]+/gu;
const MONTHS = "January February March April May June July August September October November December".split(" ");
const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

/** Distinct, in lower case, in the order of the text: words, the parts of identifiers, pairs of CJK characters. */
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

/** What the index is fed: the text, and in `about` its heading, day and paths. */
export function indexedItem(item: RecallItem, { about = true } = {}): string {
	const text = about
		? `${item.text}\n${item.heading} ${dayWords(item.date)} ${(item.paths ?? []).join(" ")}`
		: item.text;
	return indexedText(text);
}

/** The ways in which people write a day. UTC: the same bytes everywhere. */
function dayWords(ms: number | undefined): string {
	if (ms === undefined || !Number.isFinite(ms)) return "";
	const date = new Date(ms);
	if (Number.isNaN(date.getTime())) return "";
	return `${date.toISOString().slice(0, 10)} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${DAYS[date.getUTCDay()]}`;
}
