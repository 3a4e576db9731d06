/**
 * Sentences by which the user told something of their life, for sessions of talk: people and names, preferences, appointments,
 * promises, open questions. Chosen by form and bounded by weight, so that a fact of the first day outlives a month of small talk.
 * A sentence is kept as it was said; whether later words replaced it is decided where it is shown.
 */
import { asName } from "../../base/json/read.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { stripRecalled } from "../../message/recall-tags.ts";
import { userWords } from "../../message/user-words.ts";
import { messageText, viewMessage } from "../../message/view.ts";
import { correctionIn, isDistinct, isUnmistakable } from "../thread/corrections.ts";
import { isPromise, isQuestion, setsRule } from "../thread/cues.ts";
import { asksForWork } from "../thread/requested-work.ts";
import { sentencesOf } from "../thread/sentences.ts";
import { proseOf } from "../thread/user-prose.ts";
import { KIN, OWN } from "../thread/word-forms.ts";
import { asksToRemember, isPreference } from "./durable/lasting-cues.ts";
import { spokenLines } from "./quoted-speech.ts";
import {
	CHANGE,
	COMPLAINT,
	COPULA,
	DATE,
	IDENTITY,
	isAboutHealth,
	LASTING,
	LIFE,
	MOMENT,
	NAME,
	NAMING,
	namesValue,
	OPEN,
	OWN_VERB,
	PERFECT,
	PLACED,
	REPORTED,
	TELLING,
	THANKS,
} from "./told-forms.ts";

export type ToldKind = "fact" | "wish" | "date" | "promise" | "correction";

export interface ToldSentence {
	readonly kind: ToldKind;
	/** Word for word. */
	readonly text: string;
	readonly handle: string;
	readonly seq: number;
	/** ms since the epoch. */
	readonly ts: number;
	readonly weight: number;
	/** Who said it, in a conversation of several people, and whose words they hand on: "Mum wrote". */
	readonly sender?: string | undefined;
}

export interface ToldState {
	/** By session, the oldest sentence first. */
	sessions: Recent<ToldSentence[]>;
}

const MAX_SESSIONS = 64;
/** Above it the lightest quarter is dropped at once, the oldest of the same weight first. */
const MAX_SENTENCES = 400;
const MAX_PROSE_CHARS = 6_000;
const [MIN_CHARS, MAX_CHARS] = [10, 280];
/** In scripts whose signs say as much as two letters. */
const MIN_JOINED_CHARS = 5;
const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

export const toldFold: StateFold<ToldState> = {
	name: "told",
	version: 8,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		if (record.type !== "Message" || record.payload["role"] !== "user") return;
		const view = viewMessage(record.payload);
		if (view.injected) return;
		const prose = proseOf(userWords(stripRecalled(messageText(view)), record.host));
		if (prose.length > MAX_PROSE_CHARS) return;
		const handle = handleOf(record);
		const { seq, ts, session } = record;
		const sender = asName(record.payload["sender"]);
		const found = spokenLines(prose).flatMap((line) =>
			tellingsOf(line.text).flatMap((text, at, all): ToldSentence[] => {
				const lead = all[at - 1] ?? "";
				// "The doctor said" is part of what "no ibuprofen" tells.
				const rated = rate(line.by === undefined ? text : `${line.by}: ${text}`, {
					isLed: /[:：]$/.test(lead) && asksToRemember(lead),
					isOthers: line.by !== undefined,
				});
				const by = [sender, line.by].filter((name) => name !== undefined).join(": ");
				return rated ? [{ ...rated, text, handle, seq, ts, ...(by !== "" && { sender: by }) }] : [];
			}),
		);
		if (found.length === 0) return;
		const known = getRecent(state.sessions, session) ?? [];
		const said = new Set(found.map(({ text }) => text));
		const all = [...known.filter(({ text }) => !said.has(text)), ...found];
		putRecent(state.sessions, session, all.length > MAX_SENTENCES ? heaviest(all) : all, MAX_SESSIONS);
	},
};

export function toldIn({ sessions }: ToldState, session: string): readonly ToldSentence[] {
	return getRecent(sessions, session) ?? [];
}

function heaviest(told: readonly ToldSentence[]): ToldSentence[] {
	const most = Math.floor(MAX_SENTENCES * 0.75);
	const kept = new Set(told.toSorted((one, other) => other.weight - one.weight || other.seq - one.seq).slice(0, most));
	return told.filter((each) => kept.has(each));
}

const MIN_WEIGHT = 1.25;
const ORDER_WEIGHT = 0.5;
/** Of what holds for a moment, and of what books and newspapers tell. */
const PASSING_WEIGHT = 1.75;

/** "I never …", "no encuentro …", "…が来ない": a rule where people work, here something that they tell of. */
const OF_ONESELF = /^(?:i|we|ich|wir|je|on|yo|io|я)(?!\p{L})|^no (?:\p{L}{2} )?\p{L}+o(?!\p{L})|ない[。！]?$/iu;

/** "We had lunch and now everyone is tired" says nothing of how we are. */
const CLAUSE =
	/,?\s(?:and|but|und|aber|y|pero|et|mais|e|ma)\s|[,;]\s+(?=(?:it['’]?s|that['’]?s|this is|es ist|das ist|das war|c['’]est|c['’]était|è|es un)(?!\p{L}))/iu;

interface Telling {
	/** "Remember:" is before it. */
	readonly isLed?: boolean;
	/** Somebody else said it, who gives no orders. */
	readonly isOthers?: boolean;
}

/** Undefined: the sentence tells nothing that is worth keeping. */
function rate(sentence: string, telling: Telling = {}): Pick<ToldSentence, "kind" | "weight"> | undefined {
	const { isLed = false, isOthers = false } = telling;
	if (sentence.length < (JOINED.test(sentence) ? MIN_JOINED_CHARS : MIN_CHARS) || sentence.length > MAX_CHARS)
		return undefined;
	const isComplaint = COMPLAINT.test(sentence);
	if (isQuestion(sentence) && !isComplaint) return undefined;
	const isMarked = !isOthers && (isLed || asksToRemember(sentence));
	const [isMoment, isReport] = [isOfMoment(sentence), isReported(sentence)];
	// "I must be off now" has the form of a rule.
	const standing = sentence.replace(PERFECT, "");
	const isWish =
		!isOthers &&
		(isComplaint || isPreference(sentence) || (!isMoment && !OF_ONESELF.test(sentence) && setsRule(standing)));
	if (!isMarked && !isWish && THANKS.test(sentence) && !OWN.test(sentence)) return undefined;
	const [isOwn, isDated, isOpen, isChange] = [OWN, DATE, OPEN, CHANGE].map((form) => form.test(sentence));
	const clauses = standing.split(CLAUSE);
	const isLasting = clauses.some((clause) => LASTING.test(clause));
	const own = clauses.filter((clause) => (OWN.test(clause) || OWN_VERB.test(clause)) && LASTING.test(clause));
	const isSure = own.some(
		(clause) =>
			LASTING.test(clause.replace(COPULA, "")) || KIN.test(clause) || IDENTITY.test(clause) || namesValue(clause),
	);
	const hasName = NAME.test(sentence);
	const isCorrection = correctionIn(sentence) !== undefined;
	const weight =
		// Said in a hurry, half of what people tell looks like an order.
		(!isMarked && !isWish && asksForWork(sentence) ? -ORDER_WEIGHT : 0) +
		(isMoment || isReport ? -PASSING_WEIGHT : 0) +
		(isMarked ? 4 : 0) +
		(isWish ? 3 : 0) +
		(isOpen || (!isMoment && isPromise(sentence)) ? 2 : 0) +
		(isCorrection ? 1.5 : 0) +
		(isSure ? 2 : own.length > 0 ? 1 : isOwn || isLasting ? 0.5 : 0) +
		(isDated ? 1.5 : 0) +
		(isAboutHealth(sentence) ? 1.5 : 0) +
		(LIFE.test(sentence) ? 1.5 : 0) +
		(TELLING.test(sentence) ? 1 : 0) +
		(NAMING.test(sentence) ? 0.75 : 0) +
		(PLACED.test(sentence) ? (isOwn || isLasting ? 0.75 : 1.25) : 0) +
		// Things change in any story; here it is one of somebody's, or has a day or a number.
		(isChange ? (isDated || (!isMoment && (isOwn || isLasting)) ? 0.75 : hasName ? 0.5 : 0.25) : 0) +
		(hasValue(sentence) && !isReport ? (namesValue(sentence) ? 1.75 : 1) : 0) +
		(hasName ? 0.75 : 0);
	if (weight < MIN_WEIGHT) return undefined;
	if (isWish) return { kind: "wish", weight };
	if (isCorrection) return { kind: "correction", weight };
	if (isOpen) return { kind: "promise", weight };
	return { kind: isDated ? "date" : "fact", weight };
}

function isOfMoment(sentence: string): boolean {
	// A code or a year is told for later.
	return MOMENT.test(sentence) && !sentence.split(/\s+/).some(isUnmistakable);
}

function isReported(sentence: string): boolean {
	return REPORTED.test(sentence) && !OWN.test(sentence) && !namesValue(sentence);
}

/** A number or a name that somebody tells for later: not how many there are now, nor what a book says. */
export function tellsValue(sentence: string): boolean {
	return hasValue(sentence) && !isOfMoment(sentence) && !isReported(sentence);
}

/** Of a sentence that is remembered without a word for it. */
const MIN_LASTING_WEIGHT = 1.5;

/** In talk: whether a sentence tells something of the user's life, or is only part of a story. */
export function tellsOfLife(sentence: string): boolean {
	return (rate(sentence)?.weight ?? 0) >= MIN_LASTING_WEIGHT;
}

/** A number, a code, a date. */
export function hasValue(sentence: string): boolean {
	return sentence.split(/\s+/).some((word) => isDistinct(word) && !COMPOUND.test(word));
}

/** Two words joined by a hyphen. */
const COMPOUND = /^\p{L}+(?:-\p{L}+)+\P{L}*$/u;

/** Words of a fragment at most: "Room 214." belongs to the sentences around it. */
const MAX_FRAGMENT_WORDS = 3;

/** Sentences of a line, with fragments and words before a colon joined to their neighbours. */
function tellingsOf(line: string): string[] {
	const units: string[] = [];
	let isOpen = false;
	for (const sentence of sentencesOf(line)) {
		const last = units.at(-1);
		const isJoined = last !== undefined && (isOpen || isFragment(sentence));
		if (isJoined && last.length + sentence.length < MAX_CHARS) units[units.length - 1] = `${last} ${sentence}`;
		else units.push(sentence);
		isOpen = isFragment(sentence) || (/[:：]$/.test(sentence) && !asksToRemember(sentence));
	}
	return units;
}

/** In a script with spaces. */
function isFragment(sentence: string): boolean {
	return (
		/^[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]/u.test(sentence) && sentence.split(" ").length <= MAX_FRAGMENT_WORDS
	);
}
