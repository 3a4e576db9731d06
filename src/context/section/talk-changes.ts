/**
 * What people tell anew without naming the old value: "they've pushed me to wed 8:50" after "hairdresser mon 14:20". Both sentences are
 * on the same thing if they share a word that few others have. If the newer one says that something changed, it takes the place of the
 * older one. If it only gives another time or number, the two are shown together, and nothing is left out.
 */
import { hasValue, type ToldSentence } from "../../state/memory/told-fold.ts";
import { CHANGE, DATE, RETRACTION } from "../../state/memory/told-forms.ts";
import { isOfOtherSpeaker } from "../../state/thread/other-speaker.ts";
import { termsOf } from "../../state/thread/terms.ts";

/** A word in more of the sentences than these names no single thing. */
const MAX_NAMING = 3;
/** Many things may be told of one person, unless the newer words say that one of them changed. */
const NAME_WEIGHT = 0.5;
/** How much two sentences must share: if the newer one takes words back, names another time, or gives another number. */
const LEAST = { retraction: 0.5, date: 1, value: 2 } as const;
/** The same, to be shown together; a change without a time or a number needs more than one word. */
const LEAST_TOGETHER = { valued: 1, change: 1.5 } as const;

const WORD =
	/[\p{Script=Latin}\p{Script=Cyrillic}\p{M}]{4,}|(?<!\p{L})\p{Lu}\p{Ll}{2}(?!\p{L})|\p{Script=Han}{2}|[\p{Script=Katakana}ー]{3,}|\p{Script=Hangul}{2,}/gu;
const PERSON = /(?<=[\p{L},] )\p{Lu}\p{Ll}{3,}/gu;
const CAPITAL = /(?<!\p{L})\p{Lu}\p{Ll}{2,}/gu;

/** The newer words on the same thing. `replaces`: the older ones hold no longer. */
export interface ToldChange {
	readonly newer: ToldSentence;
	readonly replaces: boolean;
}

interface SentenceReading {
	readonly sentence: ToldSentence;
	readonly words: ReadonlySet<string>;
	readonly names: ReadonlySet<string>;
	readonly capitals: ReadonlySet<string>;
	readonly isDated: boolean;
	readonly hasValue: boolean;
}

/** The change by the older sentence. `told`: the oldest first. */
export function changesIn(told: readonly ToldSentence[]): Map<ToldSentence, ToldChange> {
	const read = told.map(readingOf);
	const having = new Map<string, SentenceReading[]>();
	for (const reading of read) {
		for (const word of reading.words) {
			const known = having.get(word);
			if (known) known.push(reading);
			else having.set(word, [reading]);
		}
	}
	const changes = new Map<ToldSentence, ToldChange>();
	for (const newer of read) {
		const isRetraction = RETRACTION.test(newer.sentence.text);
		const isChange = isRetraction || CHANGE.test(newer.sentence.text);
		let best: (SharedWords & { readonly replaces: boolean }) | undefined;
		for (const { older, shared, named } of olderOnTheSame(newer, having, isRetraction)) {
			if (isOfOtherSpeaker(newer.sentence, older.sentence.text, older.sentence.sender)) continue;
			const least = isChange ? leastShared(older, newer, isRetraction) : undefined;
			const [weighed, together] = [shared + named * NAME_WEIGHT, isChange ? shared + named : shared];
			const replaces = least !== undefined && weighed >= least;
			if (!replaces && (best?.replaces || together < leastTogether(older, newer, isChange))) continue;
			if (best && best.replaces === replaces && weighed < best.shared + best.named * NAME_WEIGHT) continue;
			best = { older, shared, named, replaces };
		}
		if (best) changes.set(best.older.sentence, { newer: newer.sentence, replaces: best.replaces });
	}
	return changes;
}

/** How many words a newer sentence shares with an older one. */
interface SharedWords {
	readonly older: SentenceReading;
	readonly shared: number;
	/** Names besides them. */
	readonly named: number;
}

/** Sentences told before on the same thing, the oldest first. */
function olderOnTheSame(
	newer: SentenceReading,
	having: ReadonlyMap<string, readonly SentenceReading[]>,
	isRetraction: boolean,
): SharedWords[] {
	const found = new Map<SentenceReading, SharedWords>();
	for (const word of newer.words) {
		const same = having.get(word) ?? [];
		if (same.length > MAX_NAMING || CHANGE.test(word) || (DATE.test(word) && !isRetraction)) continue;
		const isName = newer.names.has(word) || same.every(({ capitals }) => capitals.has(word));
		for (const older of same) {
			if (older.sentence.seq >= newer.sentence.seq) continue;
			const { shared, named } = found.get(older) ?? { shared: 0, named: 0 };
			found.set(older, { older, shared: shared + Number(!isName), named: named + Number(isName) });
		}
	}
	return [...found.values()].sort((one, other) => one.older.sentence.seq - other.older.sentence.seq);
}

/** Undefined: the newer one replaces nothing that the older one says. */
function leastShared(older: SentenceReading, newer: SentenceReading, isRetraction: boolean): number | undefined {
	if (isRetraction) return LEAST.retraction;
	if (older.isDated && newer.isDated) return LEAST.date;
	return older.hasValue && newer.hasValue ? LEAST.value : undefined;
}

function leastTogether(older: SentenceReading, newer: SentenceReading, isChange: boolean): number {
	const isValued = (older.isDated && newer.isDated) || (older.hasValue && newer.hasValue);
	if (isValued) return LEAST_TOGETHER.valued;
	return isChange ? LEAST_TOGETHER.change : Number.POSITIVE_INFINITY;
}

function readingOf(sentence: ToldSentence): SentenceReading {
	const { text } = sentence;
	const wordsBy = (form: RegExp) =>
		new Set([...text.matchAll(form)].flatMap(([word]) => (termsOf(word).size > 0 ? [singular(word)] : [])));
	return {
		sentence,
		words: wordsBy(WORD),
		names: wordsBy(PERSON),
		capitals: wordsBy(CAPITAL),
		isDated: DATE.test(text),
		hasValue: hasValue(text),
	};
}

function singular(word: string): string {
	return word.toLowerCase().replace(/(?<=\p{L}{3})s$/u, "");
}
