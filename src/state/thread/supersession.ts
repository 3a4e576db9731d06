/**
 * Whether later words of the user replace an older sentence. They surely do where they name its value as the old one, where they give
 * the same subject another value, or where they are about the same and say that something changed. Words that are only about the same
 * may replace it: a reader is pointed to them. That needs no list of words, so it works in any language.
 */
import { endedIn, hasValue, isUnmistakable } from "./corrections.ts";
import { isNegated, saysChange, takesBack, withoutCues } from "./cues.ts";
import { asksForWork } from "./requested-work.ts";
import { sentencesOf } from "./sentences.ts";
import { sharedCount, sharedPart, valuesOf, type Wording, wordCount, wordingOf } from "./terms.ts";
import type { Correction, SessionThread } from "./thread.ts";

const MAX_CORRECTIONS_BYTES = 20_000;
/** Of the terms of the shorter sentence, from which on two sentences are about the same. */
const [SAME_SUBJECT, SAME_WITH_VALUE, MOST_OF_SUBJECT, MOST_OF_SENTENCE, NAMED_VALUE] = [0.5, 0.4, 0.75, 0.6, 0.3];
/** A sentence with more terms than this says more than one thing. */
const MAX_TERMS = 14;
/** The same for words that surely replace others. */
const [MAX_OLDER_WORDS, MAX_NEWER_WORDS] = [9, 10];
/** Of a sentence that names the value which no longer holds. */
const MAX_CORRECTING_WORDS = 16;

/** Of the older and of the newer sentence that both must share to be about the same; less where the newer one turns something round. */
const [MIN_OF_OLDER, MIN_OF_NEWER] = [0.5, 0.25];
const [MIN_OF_OLDER_TURNED, MIN_OF_NEWER_TURNED] = [0.28, 0.2];
/** A term in at most so many of the user's sentences names something; others come up in talk of anything. */
const MAX_NAME_SENTENCES = 3;

/** A longer sentence than this says more than that something is so. */
const MAX_STATEMENT_WORDS = 6;
/** A subject and its value; and a sentence of which one word in common is enough, where the later one says that it changed. */
const [MAX_TERSE_WORDS, MAX_NAMED_WORDS] = [3, 4];

/** False: the line is no plain short sentence, so it replaces nothing. */
export function addTo(thread: SessionThread, correction: Correction): boolean {
	const { isUnfit, terms } = measuresOf(correction.text);
	if (isUnfit || terms.size > MAX_TERMS) return false;
	thread.corrections.push(correction);
	let bytes = thread.corrections.reduce((sum, { text }) => sum + text.length, 0);
	while (bytes > MAX_CORRECTIONS_BYTES) bytes -= thread.corrections.shift()?.text.length ?? bytes;
	return true;
}

/** The newest later words of the user that are about the same as a sentence of this text. */
export function laterWordsOn(thread: SessionThread, text: string, seq: number): Correction | undefined {
	const places = indexOf(thread.corrections);
	let newest: number | undefined;
	const plain = sentencesOf(text).filter((sentence) => PLAIN_START.test(sentence) && !DEPENDS.test(sentence));
	for (const sentence of plain.flatMap(readingsOf)) {
		const found = newestAbout(thread.corrections, places, sentence, seq);
		if (found !== undefined && (newest === undefined || found > newest)) newest = found;
	}
	return newest === undefined ? undefined : thread.corrections[newest];
}

/**
 * The sentence says nothing that could be replaced by itself: a step or an item of a list, an answer to the agent, a tale, a question
 * without its mark, a subject that another sentence names, words that lead to others.
 */
const DEPENDS =
	/^(?:[-*•–] |\d{1,2}[.)] )|[:：]$|^(?:(?:yes|yeah|yep|no|nope|ok|okay|sure|right|cool|great|so|and|but|then|also|now)[,.!]? )*(?:i (?:thought|think|guess|did|do|see|saw|edit|run|ran|was|am|have|had|just)|how|why|what|where|when|who|it|its|his|her|their|this|that|they|these|those|there|on that)(?!\p{L})|^(?:yes|yeah|yep|no|nope|ok|okay|sure)(?!\p{L})/iu;

/** Whether the user said just this before, alone or among other words. */
export function isSpokenBefore({ orders }: SessionThread, sentence: string, seq: number): boolean {
	const words = bareWords(sentence);
	// Scripts without spaces have no border between words.
	const border = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(words) ? "" : " ";
	const looked = `${border}${words}${border}`;
	return orders.some((said) => said.seq < seq && `${border}${bareWords(said.text)}${border}`.includes(looked));
}

function bareWords(text: string): string {
	return text
		.toLowerCase()
		.replaceAll(/[^\p{L}\p{N}]+/gu, " ")
		.trim();
}

/** Places of the sentences with a term. */
type WordIndex = ReadonlyMap<string, readonly number[]>;

/** The state is not changed while a text is rendered, so its newest sentence tells whether the index is still good. */
const indexes = new WeakMap<
	readonly Correction[],
	{ readonly newest: Correction | undefined; readonly index: WordIndex }
>();

function indexOf(corrections: readonly Correction[]): WordIndex {
	const known = indexes.get(corrections);
	if (known && known.newest === corrections.at(-1)) return known.index;
	const index = new Map<string, number[]>();
	for (const [at, { text }] of corrections.entries()) {
		const { terms, places } = measuresOf(text);
		for (const term of [...terms, ...places]) {
			const having = index.get(term);
			if (having) having.push(at);
			else index.set(term, [at]);
		}
	}
	indexes.set(corrections, { newest: corrections.at(-1), index });
	return index;
}

function newestAbout(
	corrections: readonly Correction[],
	index: WordIndex,
	sentence: string,
	seq: number,
): number | undefined {
	const older = measuresOf(sentence);
	if (older.isUnfit || older.terms.size === 0 || older.terms.size > MAX_TERMS) return undefined;
	const shared = new Map<number, SharedTerms>();
	for (const frame of older.places)
		for (const at of index.get(frame) ?? []) shared.set(at, { count: 0, hasName: true });
	for (const term of older.terms) {
		const places = index.get(term) ?? [];
		for (const at of places) {
			const { count, hasName } = shared.get(at) ?? { count: 0, hasName: false };
			shared.set(at, { count: count + 1, hasName: hasName || places.length <= MAX_NAME_SENTENCES });
		}
	}
	let newest: number | undefined;
	for (const [at, terms] of shared) {
		const later = corrections[at];
		if (!later || later.seq <= seq || (newest !== undefined && at < newest)) continue;
		if (isAbout(later, sentence, terms)) newest = at;
	}
	return newest;
}

interface SharedTerms {
	readonly count: number;
	/** One of them is rare. */
	readonly hasName: boolean;
}

function isAbout(later: Correction, sentence: string, { count, hasName }: SharedTerms): boolean {
	const [older, newer] = [measuresOf(sentence), measuresOf(later.text)];
	if (later.text === sentence || isRepeated(older, newer, later.text)) return false;
	if (later.wrong !== "" && hasValue(sentence, later.wrong) && (isUnmistakable(later.wrong) || count > 1)) return true;
	if (agreesWith(older, newer, later.text)) return false;
	const hasOtherValue =
		[...older.values].some((value) => !newer.values.has(value)) &&
		[...newer.values].some((value) => !older.values.has(value));
	if (hasOtherValue && older.isNegated && newer.isNegated) return false;
	const isShort = older.words <= MAX_STATEMENT_WORDS;
	const isTurned =
		hasName &&
		isShort &&
		(count > 1 || older.words <= MAX_NAMED_WORDS) &&
		!newer.isOrder &&
		(newer.isChange || (count > 1 && older.isNegated !== newer.isNegated));
	const hasNewValue = older.values.size > 0 && [...newer.values].some((value) => !older.values.has(value));
	// Two orders are two pieces of work, and words without another value or a turn say the same again.
	const [isOrder, isNewOrder] = [older.isOrder, newer.isOrder];
	if (isNewOrder && (isOrder || !hasNewValue)) return false;
	if (isOrder && sharedPart(older, newer.terms) < MOST_OF_SENTENCE) return false;
	if (isShort && count > 1 && namesBothValues(older, newer)) return true;
	if ((newer.isChange || count > 0) && !(older.isOrder && newer.isOrder) && namesOtherPlace(older, newer)) return true;
	if ((isOrder || !(isTurned || hasNewValue)) && !isRestated(older, newer, { count, hasName })) return false;
	const [least, leastOfNewer] = isTurned ? [MIN_OF_OLDER_TURNED, MIN_OF_NEWER_TURNED] : [MIN_OF_OLDER, MIN_OF_NEWER];
	// Where each has a value of its own, the words beside it say whether both are about the same.
	const [ofOlder, ofNewer] = hasOtherValue ? [older.values, newer.values] : [undefined, undefined];
	return sharedPart(older, newer.terms, ofOlder) >= least && sharedPart(newer, older.terms, ofNewer) >= leastOfNewer;
}

/** One has all words of the other, and turns nothing round: the same again, or more about it. */
function isRepeated(older: Measures, newer: Measures, text: string): boolean {
	const isTurned = newer.isChange || newer.ended.length > 0 || older.isNegated !== newer.isNegated;
	if (isTurned || namesBothValues(older, newer)) return false;
	const shared = sharedCount(older.terms, newer.terms);
	return shared === newer.terms.size || (shared === older.terms.size && !movesTerm(older, text));
}

const CLAUSE_END = /[,;:，、；：。]\s*|\.\s+|\s[—–-]\s/u;

/** `Log level: warn, info is too much`: the words give the subject something else first, and name the old one apart from it. */
function movesTerm({ terms }: Measures, text: string): boolean {
	const clauses = text.split(CLAUSE_END).map((clause) => measuresOf(clause).terms);
	return clauses.slice(0, -1).some((_, at) => {
		const said = new Set(clauses.slice(0, at + 1).flatMap((clause) => [...clause]));
		const shared = sharedCount(terms, said);
		return shared > 0 && shared < terms.size && shared < said.size;
	});
}

/** Says yes to what the agent asked. */
const YES = /^(?:yes|yeah|yep|yup|ja|sí|oui|はい|うん|对|是的|네|응)(?!\p{L})/iu;

/** The later words say yes, or keep the names of the older ones, and turn nothing round. */
function agreesWith(older: Measures, newer: Measures, text: string): boolean {
	const isOther = newer.isTakenBack || namesBothValues(older, newer) || movesTerm(older, text);
	if (older.isNegated !== newer.isNegated || isOther) return false;
	const names = [...older.values].filter(isUnmistakable);
	return YES.test(text) || (names.length > 0 && names.every((name) => newer.values.has(name)));
}

/** `cache TTL 300`, `TTL 900, with 300 it breaks`: the old value is named beside one of its kind. */
function namesBothValues(older: Measures, newer: Measures): boolean {
	const others = [...newer.values].filter((value) => !older.values.has(value));
	return [...older.values].some((value) => newer.values.has(value) && others.some((other) => isAlike(value, other)));
}

/** `/srv/in/orders`, `they moved it, it's /srv/drop/orders`: two places whose names differ in one part. */
function namesOtherPlace(older: Measures, newer: Measures): boolean {
	const isSame = [...older.values].some((value) => newer.values.has(value) && framesOf(value).length > 0);
	return !isSame && older.places.some((frame) => newer.places.includes(frame));
}

/** The name of a place, each time without one of its parts. */
function framesOf(value: string): string[] {
	const parts = value.split(/[/.]/);
	if (parts.filter((part) => part !== "").length < MIN_PLACE_PARTS) return [];
	return parts.map((_, at) => parts.with(at, "*").join("/"));
}

const MIN_PLACE_PARTS = 3;

/** Two short statements with most of their words in common; of very short ones, the one that names their subject. */
function isRestated(older: Measures, newer: Measures, { count, hasName }: SharedTerms): boolean {
	const isTerse = older.words <= MAX_TERSE_WORDS && newer.words <= MAX_TERSE_WORDS;
	// `The port is 7443` is replaced by another value, not by more words about ports.
	const hasLostValue = newer.values.size === 0 && [...older.values].some(isUnmistakable);
	const isSame = count > 1 || (hasName && isTerse);
	return isSame && !hasLostValue && older.words <= MAX_STATEMENT_WORDS && sharedPart(newer, older.terms) >= NAMED_VALUE;
}

/** The text holds the value that the correction names as the old one, and not the new one. */
export function disproves({ wrong, right }: Correction, text: string): boolean {
	return isUnmistakable(wrong) && hasValue(text, wrong) && !hasValue(text, right);
}

/** `Understood: the port is 7443`, `"Which port?"="7443"`: the words before are about the talk. */
const LABEL = /^(?:[^:：]{1,30}[:：]\s*|"[^"]*"=")(.{4,})$/u;

export function readingsOf(sentence: string): string[] {
	const words = LABEL.exec(sentence)?.[1];
	return words === undefined ? [sentence] : [sentence, words];
}

/** Whether the user said before what this replaces. */
export function replacesEarlier(thread: SessionThread, correction: Correction): boolean {
	return thread.corrections.some(({ seq, text }) => seq < correction.seq && replaces(correction, text));
}

export function replaces(correction: Correction, sentence: string): boolean {
	const { text, wrong, right } = correction;
	const older = measuresOf(sentence);
	const newer = measuresOf(text);
	const most = wrong === "" ? MAX_NEWER_WORDS : MAX_CORRECTING_WORDS;
	if (older.isUnfit || older.terms.size === 0 || older.words > MAX_OLDER_WORDS || newer.words > most) return false;
	const shared = sharedCount(older.terms, newer.terms);
	if (wrong === "" && isRepeated(older, newer, text)) return false;
	// Most sentences have nothing in common.
	if (shared === 0 && (wrong === "" || !hasValue(sentence, wrong))) return false;
	if (text.includes(sentence)) return false;
	if (wrong !== "" && hasValue(sentence, wrong)) {
		if (isUnmistakable(right) && hasValue(sentence, right)) return false;
		if (isUnmistakable(wrong) || shared >= 2 || isForeignName(wrong, sentence)) return true;
		if (!/\p{N}/u.test(wrong) && shared / older.terms.size >= NAMED_VALUE) return true;
	}
	if (shared === 0) return false;
	// Most of what the older sentence is about.
	const part = shared / older.terms.size;
	const ended = newer.ended.filter((name) => hasValue(sentence, name));
	if (ended.some(isUnmistakable) && (newer.isChange || shared >= 2)) return true;
	if (ended.length > 0 && !older.isNegated && part >= SAME_WITH_VALUE) return true;
	// Work that was asked for is taken back only by words about just this work.
	if (older.isOrder && (part < MOST_OF_SENTENCE || newer.isOrder) && !namesBothValues(older, newer)) return false;
	const own = [...older.values].filter((value) => !newer.values.has(value));
	const others = [...newer.values].filter((value) => !older.values.has(value));
	const subject = shared - (older.values.size - own.length);
	// The new words name the old value beside the new one.
	if (newer.isChange && others.length > 0 && own.length < older.values.size) {
		if (subject >= 1 || [...older.values].some((value) => newer.values.has(value) && isUnmistakable(value)))
			return true;
	}
	if (own.some((value) => others.some((other) => isAlike(value, other)))) {
		// `Never touch b.txt`, `never touch c.txt`: the one forbids as much as the other.
		if (older.isNegated && newer.isNegated) return false;
		const least = Math.max(1, Math.min(older.terms.size - older.values.size, newer.terms.size - newer.values.size));
		if (newer.isChange) {
			const isNamed = subject >= 2 || (subject === 1 && newer.words <= MAX_STATEMENT_WORDS);
			return isNamed && subject / least >= SAME_SUBJECT;
		}
		return subject >= 2 && subject / least >= MOST_OF_SUBJECT;
	}
	if (shared < 2) return newer.isTakenBack && older.isNegated !== newer.isNegated && part >= SAME_SUBJECT;
	if (older.isNegated !== newer.isNegated && !newer.isOrder && part >= MOST_OF_SENTENCE) return true;
	return newer.isChange && part >= SAME_SUBJECT;
}

/** "テストは vitest で書く": a Latin word between signs of another script is a name. */
function isForeignName(value: string, sentence: string): boolean {
	const around = sentence.replaceAll(/[\P{L}]/gu, "").length;
	return /^\p{Script=Latin}{3,}$/u.test(value) && (sentence.match(NO_LATIN)?.length ?? 0) * 2 > around - value.length;
}

const NO_LATIN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** The user came back to the words of the sentence after they had replaced them. */
export function returnsTo(later: Correction, replacer: Correction, sentence: string): boolean {
	if (later.seq <= replacer.seq || !replaces(later, replacer.text)) return false;
	const [older, newer] = [measuresOf(sentence), measuresOf(later.text)];
	const values = replacer.wrong === "" ? [...older.values] : [replacer.wrong];
	if (values.length > 0) return values.every((value) => value !== later.wrong && hasValue(later.text, value));
	return older.isNegated === newer.isNegated && sharedPart(older, newer.terms) >= MOST_OF_SUBJECT;
}

/** Questions, and lines that a program wrote. */
function isUnfitForComparison(sentence: string): boolean {
	return (
		/[?？]["')\]]*(?:\s|$)/.test(sentence) ||
		PROGRAM_WORDS.test(sentence) ||
		!PLAIN_START.test(sentence) ||
		MANY_SIGNS.test(sentence)
	);
}

const PLAIN_START = /^[\p{L}\p{N}"'\x60/“„「『«(¿¡@-]/u;
/** A command with its flags, a prompt, a status line, a list of paths. */
const PROGRAM_WORDS =
	/\\\s*$|(?:^|\s)--?[a-z][\w-]*(?=[\s=]|$).*\s\S|^-- |\S@\S+ .{0,80}[%$#] |(?:\S*\/\S*,? +){2}\S*\/|\$\w|\d insertions?\(\+\)|\d deletions?\(-\)|^(?:sudo|cd|mv|cp|rm|ls|go|git|npm|npx|pip|brew|docker|curl) \S+ [./~-]/;
const MANY_SIGNS =
	/[=|<>{}[\]%$~](?:[^=|<>{}[\]%$~]*[=|<>{}[\]%$~]){2,}|\bat \S*[./\\(]\S*:\d|:\d+:|\s{3,}|^\w+: .*: |\bFAIL\b/u;

interface Measures extends Wording {
	readonly isUnfit: boolean;
	readonly words: number;
	/** A sentence of it asks for a piece of work. */
	readonly isOrder: boolean;
	readonly values: ReadonlySet<string>;
	/** What its places have in common with others. */
	readonly places: readonly string[];
	readonly isChange: boolean;
	readonly isNegated: boolean;
	readonly isTakenBack: boolean;
	readonly ended: readonly string[];
}

/** The same sentences are compared again at each seal. */
const measured = new Map<string, Measures>();
const MAX_MEASURED = 8_000;

function measuresOf(text: string): Measures {
	const known = measured.get(text);
	if (known) return known;
	if (measured.size >= MAX_MEASURED) measured.clear();
	const wording = wordingOf(withoutCues(text));
	const values = valuesOf(text);
	const measures = {
		...wording,
		isUnfit: isUnfitForComparison(text),
		words: wordCount(wording),
		isOrder: sentencesOf(text).some(asksForWork),
		values,
		places: [...values].flatMap(framesOf),
		isChange: saysChange(text) || takesBack(text),
		isNegated: isNegated(text),
		isTakenBack: takesBack(text),
		ended: endedIn(text),
	};
	measured.set(text, measures);
	return measures;
}

/** Two numbers, two paths, two identifiers. */
function isAlike(one: string, other: string): boolean {
	return shapeOf(one) === shapeOf(other);
}

/** `30s`: a number of seconds; `10.0.4.12`; a name by its separators. */
function shapeOf(value: string): string {
	if (/^\p{L}+$/u.test(value)) return "0";
	if (/^\p{N}/u.test(value)) return value.replaceAll(/\p{N}+/gu, "0");
	return `name ${[...new Set(value.match(/[^\p{L}\p{N}]/gu))].sort().join("")}`;
}
