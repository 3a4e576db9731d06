/** Ranks texts of any source by the words of a question, as recall ranks. */
import { evidenceOf } from "../state/memory/recall/evidence.ts";
import { ItemIndex, type RecallItem } from "../state/memory/recall/item-index.ts";
import { type RecallTerm, rank } from "../state/memory/recall/rank.ts";

export interface RankableText {
	readonly text: string;
	/** Texts of one stretch are neighbours, in the order given. */
	readonly stretch?: string | undefined;
	/** ms since the epoch. */
	readonly ts?: number | undefined;
}

export interface RankedText<Text> {
	readonly item: Text;
	readonly score: number;
	/** What the shared words prove: see `evidenceOf`. */
	readonly evidence: number;
	/** The share of what all words of the question would prove. */
	readonly share: number;
}

/** Texts that were chosen by the words of a question: how often these words are in the whole they were chosen from. */
export interface WordFrequencies {
	readonly texts: number;
	readonly ofWord: ReadonlyMap<string, number>;
}

/** The best first; texts that share no word are left out. */
export function rankTexts<Text extends RankableText>(
	texts: readonly Text[],
	words: string,
	limit: number,
	counts?: WordFrequencies,
): readonly RankedText<Text>[] {
	if (texts.length === 0 || words === "") return [];
	const items = texts.map(
		({ text, stretch, ts }, n): RecallItem => ({
			id: String(n),
			text,
			heading: "",
			source: "history",
			kind: "message",
			date: ts,
			stretch,
		}),
	);
	using index = new ItemIndex(items);
	const { ranked, terms } = rank(index, words, { limit });
	const counted = (term: RecallTerm) => ({ ...term, count: counts?.ofWord.get(term.word) ?? term.count });
	return ranked.flatMap((each) => {
		const item = texts[each.row];
		const { amount, share } = evidenceOf(
			{ matched: each.matched.map(counted) },
			terms.map(counted),
			counts?.texts ?? items.length,
			{ isAsked: true },
		);
		return item ? [{ item, score: each.score, evidence: amount, share }] : [];
	});
}

const MIN_EVIDENCE = 0.9;
/** A question of ordinary words alone proves little by any of them. */
const MIN_SHARE = 0.6;

/** True: the text says something about the question, and does not share a word by chance. */
export function isTelling({ evidence, share }: Pick<RankedText<unknown>, "evidence" | "share">): boolean {
	return evidence >= MIN_EVIDENCE || (evidence > 0 && share >= MIN_SHARE);
}
