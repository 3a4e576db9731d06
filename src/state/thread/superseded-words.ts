/**
 * The one answer to "do these words still hold?", for seeds, memory, recall and questions: the newest words of the user that replace a
 * text, unless later ones return to it. Who asks chooses whose corrections count: those of one session, or of all in its scope.
 */
import { BoundedMap } from "../../base/collection/bounded.ts";
import { hasValue } from "./corrections.ts";
import { withoutCues } from "./cues.ts";
import { isOfOtherSpeaker } from "./other-speaker.ts";
import { sentencesOf } from "./sentences.ts";
import { disproves, isSpokenBefore, laterWordsOn, readingsOf, replaces, returnsTo } from "./supersession.ts";
import { termsOf, valuesOf, wordsInTerm } from "./terms.ts";
import type { Correction, SessionThread } from "./thread.ts";

/** A quoted text may be a whole message; of a longer one only so many sentences are compared. */
const MAX_SENTENCES = 60;

/** A term in more of the user's sentences than this, and than this share of them, comes up in talk of anything. */
const [MAX_NAMING_SENTENCES, MAX_NAMING_SHARE] = [4, 0.04];

export interface ComparisonOptions {
	/** Words with a meaning of their own that a correction must share with a sentence. More where two sessions said them. */
	readonly minShared?: number | undefined;
}

export class SupersededWords {
	/** Corrections by each of their terms, the oldest first. */
	readonly #byTerm = new Map<string, Correction[]>();
	/** Their old value has no term by which it could be found. */
	readonly #unnamed: Correction[] = [];
	readonly #minShared: number;
	readonly #mostNaming: number;

	/** `corrections`: the oldest first. */
	constructor(corrections: readonly Correction[], { minShared = 1 }: ComparisonOptions = {}) {
		this.#minShared = minShared;
		this.#mostNaming = Math.max(MAX_NAMING_SENTENCES, corrections.length * MAX_NAMING_SHARE);
		for (const correction of corrections) {
			const { terms, isUnnamed } = namesOf(correction);
			if (isUnnamed) this.#unnamed.push(correction);
			for (const term of terms) {
				const known = this.#byTerm.get(term);
				if (known) known.push(correction);
				else this.#byTerm.set(term, [correction]);
			}
		}
	}

	/**
	 * The newest words that replaced a sentence of the text. `seq`: when it was said; -1: before everything. `sender`: who said it, in a
	 * conversation of several people.
	 */
	replacerOf(text: string, seq: number, sender?: string): Correction | undefined {
		return newestOf(
			sentencesOf(text)
				.slice(0, MAX_SENTENCES)
				.map((sentence) => this.#replacerOfSentence(sentence, { seq, whole: text, sender })),
		);
	}

	/** The words that name the value of this text as the old one, so it is certainly no longer true. */
	disproofOf(text: string, seq: number): Correction | undefined {
		const named = [...valuesOf(text), ...termsOf(text)].flatMap((term) => this.#byTerm.get(term) ?? []);
		const later = [...new Set([...named, ...this.#unnamed])].filter((each) => each.seq > seq);
		const disproof = newestOf(later.map((each) => (disproves(each, text) ? each : undefined)));
		return disproof && later.some((each) => returnsTo(each, disproof, text)) ? undefined : disproof;
	}

	#replacerOfSentence(
		sentence: string,
		{ seq, whole, sender }: { readonly seq: number; readonly whole: string; readonly sender: string | undefined },
	): Correction | undefined {
		const readings = readingsOf(sentence);
		const later = this.#laterOn(readings, seq, whole).filter(
			({ correction }) => !isOfOtherSpeaker(correction, whole, sender),
		);
		const replacer = later.find(
			({ correction, shared }) =>
				disproves(correction, sentence) ||
				(shared >= this.#minShared && readings.some((reading) => replaces(correction, reading))),
		)?.correction;
		if (!replacer) return undefined;
		const isReturn = later.some(({ correction }) =>
			readings.some((reading) => returnsTo(correction, replacer, reading)),
		);
		return isReturn ? undefined : replacer;
	}

	/** Later corrections with words or the old value in common, the newest first. A text that has one's words is not older than it. */
	#laterOn(
		readings: readonly string[],
		seq: number,
		whole: string,
	): readonly { readonly correction: Correction; readonly shared: number }[] {
		const shared = new Map<Correction, number>(
			this.#unnamed
				.filter(({ wrong }) => readings.some((reading) => hasValue(reading, wrong)))
				.map((each) => [each, 0]),
		);
		for (const term of new Set(
			readings.flatMap((reading) => [...termsOf(withoutCues(reading)), ...valuesOf(reading)]),
		)) {
			const having = this.#byTerm.get(term) ?? [];
			const words = having.length <= this.#mostNaming ? wordsInTerm(term) : 0;
			for (const correction of having) shared.set(correction, (shared.get(correction) ?? 0) + words);
		}
		const lower = whole.toLowerCase();
		return [...shared]
			.filter(([correction]) => correction.seq > seq && !lower.includes(correction.text.toLowerCase()))
			.map(([correction, count]) => ({ correction, shared: count }))
			.sort((one, other) => other.correction.seq - one.correction.seq);
	}
}

interface CorrectionNames {
	/** By which a text that it replaces can be found. */
	readonly terms: readonly string[];
	/** Its old value has no term. */
	readonly isUnnamed: boolean;
}

const MAX_KNOWN_NAMES = 4_000;
/** By text and old value. Every turn asks about all corrections, and has made one or none of them. */
const knownNames = new BoundedMap<string, CorrectionNames>(MAX_KNOWN_NAMES);

function namesOf({ text, wrong }: Correction): CorrectionNames {
	const key = `${wrong}\n${text}`;
	const known = knownNames.get(key);
	if (known) return known;
	const old = wrong === "" ? new Set<string>() : termsOf(wrong).add(wrong.toLowerCase());
	const terms = [...new Set([...termsOf(withoutCues(text)), ...old])];
	const names = { terms, isUnnamed: wrong !== "" && old.size === 1 && /\s/.test(wrong) };
	knownNames.set(key, names);
	return names;
}

function newestOf(corrections: readonly (Correction | undefined)[]): Correction | undefined {
	return corrections.reduce((newest, each) => (each && each.seq > (newest?.seq ?? -1) ? each : newest), undefined);
}

interface KnownWords {
	readonly newest: Correction | undefined;
	readonly words: SupersededWords;
}

/** Only the newest correction is added to a thread, so it tells whether what was made of the list is still good. */
const known = new Map<number, WeakMap<readonly Correction[], KnownWords>>();

/** By the user's words in the same session. */
export function supersededIn(
	{ corrections }: Pick<SessionThread, "corrections">,
	{ minShared = 1 }: ComparisonOptions = {},
): SupersededWords {
	const newest = corrections.at(-1);
	const of = known.get(minShared) ?? new WeakMap<readonly Correction[], KnownWords>();
	known.set(minShared, of);
	const before = of.get(corrections);
	if (before && before.newest === newest) return before.words;
	const words = new SupersededWords(corrections, { minShared });
	of.set(corrections, { newest, words });
	return words;
}

/** The newest later words of the user on the same as this text of theirs. */
export function laterThan(thread: SessionThread, text: string, seq: number): Correction | undefined {
	return supersededIn(thread).replacerOf(text, seq) ?? laterWordsOn(thread, text, seq);
}

/** The same for a text of the agent: only where it repeats a sentence of the user. */
export function laterThanEcho(thread: SessionThread, text: string, seq: number): Correction | undefined {
	return newestOf(
		sentencesOf(text)
			.flatMap(readingsOf)
			.map((sentence) => {
				const later = laterThan(thread, sentence, seq);
				return later && isSpokenBefore(thread, sentence, seq) ? later : undefined;
			}),
	);
}

/** The text with another wording for some of its sentences; `reword` returns undefined for one that stays. */
export function rewordSentences(text: string, reword: (sentence: string) => string | undefined): string {
	let [words, from] = ["", 0];
	for (const sentence of sentencesOf(text)) {
		const at = text.indexOf(sentence, from);
		if (at === -1) continue;
		words += text.slice(from, at) + (reword(sentence) ?? sentence);
		from = at + sentence.length;
	}
	return words + text.slice(from);
}
