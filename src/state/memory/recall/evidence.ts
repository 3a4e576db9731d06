/**
 * Is an item relevant to a text at all? A ranking always has a best item; this decides whether it is good enough to show
 * unasked. The measure is absolute: how much the shared words prove, not how many there are.
 */

import type { Log } from "../../../log/log.ts";
import { snippetOf } from "../../../log/search/corpus.ts";
import { markTerms, termPatterns } from "../../../log/search/term-marks.ts";
import type { Hit, SearchFilters } from "../../../log/search/types.ts";
import { ItemIndex, type RecallItem } from "./item-index.ts";
import { type RankedItem, type RecallTerm, rank } from "./rank.ts";
import { isOrdinary, termsOf } from "./terms.ts";

/** One specific word is enough if the text has hardly another, two if it is short, four always. */
const ONE_WORD = 0.9;
const TWO_WORDS = 1.9;
const ALWAYS = 4;
const MIN_SHARE = 0.4;
/** Of a message that names the subject of a bullet among other things. */
const SUBJECT_SHARE = 0.22;
const HALF = 0.5;
/** A short name alone, if the text says little else: "can I use yup here?" */
const SHORT_NAME = 0.6;
const MOST_OF_IT = 0.7;
/** In a small memory a word may be in every item and still be what they are about. */
const MANY_ITEMS = 60;
/** So many notes on one subject, or this share of all, say nothing against its words. */
const MANY_NOTES = 12;
const LARGE_SHARE = 0.2;
const SOME_OF_IT = 0.25;
/** Each further word of a long text may be shared by chance. */
const CHANCE_PER_WORD = 0.03;
const FREE_WORDS = 12;

interface Evidence {
	/** The sum of what the shared words prove. */
	readonly amount: number;
	/** The share of what all words of the text would prove. */
	readonly share: number;
	readonly isEnough: boolean;
}

/**
 * `isLoose`: an old remark that was never meant to be remembered. One shared word is chance there. `isKept`: a bullet of MEMORY.md,
 * which is there to be given whenever its subject is named. `isAsked`: the text is a question, so a short word in it is a name, as `gc`.
 */
export function evidenceOf(
	{ matched }: Pick<RankedItem, "matched">,
	terms: readonly RecallTerm[],
	items: number,
	{ isLoose = false, isKept = false, isAsked = false } = {},
): Evidence {
	const amount = matched.reduce((sum, term) => sum + proof(term, items, isAsked), 0);
	const whole = terms.reduce((sum, term) => sum + proof(term, items, isAsked) * (isUnknownPair(term) ? HALF : 1), 0);
	const share = whole === 0 ? 0 : amount / whole;
	const chance = CHANCE_PER_WORD * Math.max(0, terms.length - FREE_WORDS);
	const isEnough =
		amount >= ALWAYS + chance ||
		(amount >= TWO_WORDS + chance && share >= SOME_OF_IT) ||
		(!isLoose && amount >= ONE_WORD + chance && share >= MIN_SHARE) ||
		(!isLoose && amount >= SHORT_NAME && share >= (isKept ? MIN_SHARE : MOST_OF_IT)) ||
		(isKept && amount >= ONE_WORD + chance && share >= SUBJECT_SHARE);
	return { amount, share, isEnough };
}

/** How much a shared word proves: between 0 and 1.5. */
function proof({ word, count }: RecallTerm, items: number, isAsked: boolean): number {
	// A word that a large part of all items shares says little about one.
	const many = Math.max(0, count - Math.max(MANY_NOTES, items * LARGE_SHARE));
	const rarity = 1 / (1 + (6 * many) / Math.max(items, MANY_ITEMS));
	return (isAsked && /^\p{Script=Latin}{2}$/u.test(word) ? ONE_WORD : strength(word)) * rarity;
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Half of the pairs in a text of Chinese characters cross the edge of a word. */
function isUnknownPair({ word, count }: RecallTerm): boolean {
	return count === 0 && CJK.test(word);
}

function strength(word: string): number {
	if (isOrdinary(word)) return 0.25;
	// A pair of characters is at most half a word, and particles form pairs too.
	if (CJK.test(word)) return /\p{Script=Hiragana}/u.test(word) || [...word].length < 2 ? 0.1 : 0.6;
	if (/^\d+$/.test(word)) return word.length >= 3 ? 1 : 0.2;
	if (/\d/.test(word) && word.length >= 4) return 1.4;
	if (word.length >= 8) return 1.2;
	if (word.length >= 4) return 1;
	return word.length === 3 ? 0.7 : 0.2;
}

const POOL = 60;
/** One specific word is enough, because this search was asked for. */
const MIN_EVIDENCE = 0.9;
/** A result may be a whole file: only its beginning counts. */
const MAX_READ_CHARS = 20_000;

/** Ranks the log's messages for a text: those that share some of its words, the best first. */
export function rankInLog(log: Log, text: string, filters: SearchFilters, limit: number): readonly Hit[] {
	const words = termsOf(text);
	const documents = log.search
		.findAny({ ...filters, words, limit: POOL })
		// A neighbour of a document that passes the filters may not pass them itself.
		.filter(
			({ session, ts }) =>
				(filters.session === undefined || session === filters.session) &&
				(filters.since === undefined || ts >= filters.since) &&
				(filters.until === undefined || ts < filters.until),
		);
	if (documents.length === 0) return [];
	const items = documents.map(
		(document): RecallItem => ({
			id: String(document.seq),
			text: document.text.slice(0, MAX_READ_CHARS),
			heading: document.tool ?? document.role,
			source: "history",
			kind: "message",
			date: document.ts,
			stretch: document.session,
		}),
	);
	using index = new ItemIndex(items);
	const { ranked, terms } = rank(index, text, { limit: POOL });
	const patterns = termPatterns(words);
	return ranked
		.filter((each) => evidenceOf(each, terms, items.length).amount >= MIN_EVIDENCE)
		.slice(0, limit)
		.flatMap(({ row, score }) => {
			const document = documents[row];
			if (!document) return [];
			const { text: said, ...hit } = document;
			return [{ ...hit, ...snippetOf(said, markTerms(said, patterns)), score }];
		});
}
