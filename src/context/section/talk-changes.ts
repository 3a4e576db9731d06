/**
 * What people tell anew without naming the old value: "they've pushed me to wed 8:50" after "hairdresser mon 14:20". Both sentences are
 * on the same thing if they share a word that few others have; the newer one must say that something changed.
 */
import { hasValue, type ToldSentence } from "../../state/memory/told-fold.ts";
import { CHANGE, DATE, RETRACTION } from "../../state/memory/told-forms.ts";
import { isOfOtherSpeaker } from "../../state/thread/other-speaker.ts";
import { termsOf } from "../../state/thread/terms.ts";

/** A word in more of the sentences than these names no single thing. */
const MAX_NAMING = 3;
/** Many things may be told of one person. */
const NAME_WEIGHT = 0.5;
/** How much two sentences must share: if the newer one takes words back, names another time, or gives another number. */
const LEAST = { retraction: 0.5, date: 1, value: 2 } as const;

const WORD =
	/[\p{Script=Latin}\p{Script=Cyrillic}\p{M}]{4,}|\p{Script=Han}{2}|[\p{Script=Katakana}ー]{3,}|\p{Script=Hangul}{2,}/gu;
const PERSON = /(?<=[\p{L},] )\p{Lu}\p{Ll}{3,}/gu;

interface SentenceReading {
	readonly sentence: ToldSentence;
	readonly words: ReadonlySet<string>;
	readonly names: ReadonlySet<string>;
	readonly isDated: boolean;
	readonly hasValue: boolean;
}

/** The newer sentence by the older one that it replaces. `told`: the oldest first. */
export function changesIn(told: readonly ToldSentence[]): Map<ToldSentence, ToldSentence> {
	const read = told.map(readingOf);
	const having = new Map<string, number>();
	for (const word of read.flatMap(({ words }) => [...words])) having.set(word, (having.get(word) ?? 0) + 1);
	const changes = new Map<ToldSentence, ToldSentence>();
	for (const [at, newer] of read.entries()) {
		const isRetraction = RETRACTION.test(newer.sentence.text);
		if (!isRetraction && !CHANGE.test(newer.sentence.text)) continue;
		const weigh = (word: string) => {
			if (!newer.words.has(word) || (having.get(word) ?? 0) > MAX_NAMING || CHANGE.test(word)) return 0;
			if (DATE.test(word)) return isRetraction ? 1 : 0;
			return newer.names.has(word) ? NAME_WEIGHT : 1;
		};
		let best: { readonly older: SentenceReading; readonly shared: number } | undefined;
		for (const older of read.slice(0, at)) {
			if (
				older.sentence.seq === newer.sentence.seq ||
				isOfOtherSpeaker(newer.sentence, older.sentence.text, older.sentence.sender)
			)
				continue;
			const least = leastShared(older, newer, isRetraction);
			const shared = [...older.words].reduce((sum, word) => sum + weigh(word), 0);
			if (least !== undefined && shared >= least && shared >= (best?.shared ?? 0)) best = { older, shared };
		}
		if (best) changes.set(best.older.sentence, newer.sentence);
	}
	return changes;
}

/** Undefined: the newer one replaces nothing that the older one says. */
function leastShared(older: SentenceReading, newer: SentenceReading, isRetraction: boolean): number | undefined {
	if (isRetraction) return LEAST.retraction;
	if (older.isDated && newer.isDated) return LEAST.date;
	return older.hasValue && newer.hasValue ? LEAST.value : undefined;
}

function readingOf(sentence: ToldSentence): SentenceReading {
	const { text } = sentence;
	const wordsBy = (form: RegExp) =>
		new Set([...text.matchAll(form)].flatMap(([word]) => (termsOf(word).size > 0 ? [singular(word)] : [])));
	return {
		sentence,
		words: wordsBy(WORD),
		names: wordsBy(PERSON),
		isDated: DATE.test(text),
		hasValue: hasValue(text),
	};
}

function singular(word: string): string {
	return word.toLowerCase().replace(/s$/u, "");
}
