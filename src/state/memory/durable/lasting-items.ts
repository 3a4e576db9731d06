/**
 * What of a session's thread outlives the session: the user's rules, facts, preferences and decisions, each as a whole sentence with
 * its source. A message that asks for work speaks of that work, so only sentences that say they are meant for longer are taken from
 * it. A message that only tells something is taken whole.
 */

import { correctionIn, isUnmistakable } from "../../thread/corrections.ts";
import { isDecision, isNegated, isPromise, setsRule, takesBack } from "../../thread/cues.ts";
import { isOffered } from "../../thread/dialog-answers.ts";
import { linesOfUser } from "../../thread/others-words.ts";
import { asksForWork } from "../../thread/requested-work.ts";
import { NO_ORDINAL, sentencesOf } from "../../thread/sentences.ts";
import { supersededIn } from "../../thread/superseded-words.ts";
import { sharedCount, termsOf, wordsInTerm } from "../../thread/terms.ts";
import type { SessionThread, ThreadOrder, ThreadRemark } from "../../thread/thread.ts";
import { ownSpeech } from "../quoted-speech.ts";
import { isOrdinary, termsOf as searchTermsOf } from "../recall/terms.ts";
import { hasValue, tellsOfLife, tellsValue } from "../told-fold.ts";
import { LASTING } from "../told-forms.ts";
import {
	asksToRemember,
	asksWithoutMark,
	isAboutAnswers,
	isAboutThings,
	isCasual,
	isChoice,
	isForNow,
	isHabit,
	isHedged,
	isPassing,
	isPastedMessage,
	isPlacedOrder,
	isPreference,
	isRefusal,
	isStanding,
	isTalk,
	opensAsHabit,
	opensStanding,
	pointsAtTalk,
	refersBack,
	withoutRememberLead,
	withoutTalkLead,
} from "./lasting-cues.ts";

export type LastingKind = "rule" | "fact" | "preference" | "decision" | "open";

export interface LastingItem {
	readonly kind: LastingKind;
	/** Whole sentences, in the user's words. */
	readonly text: string;
	readonly handle: string;
	readonly seq: number;
	/** Who said it, in a conversation of several people. */
	readonly sender?: string | undefined;
}

/** Words that take something back. */
export interface TakenBack {
	readonly text: string;
	readonly handle: string;
	readonly seq: number;
}

export interface LastingWords {
	readonly items: readonly LastingItem[];
	readonly takenBack: readonly TakenBack[];
}

export interface LastingOptions {
	/** Only requests after this one. */
	readonly after: number;
	/** Whether the agent worked for the request: ran commands, changed files. */
	readonly isWorkedOn: (order: ThreadOrder, next: ThreadOrder | undefined) => boolean;
	/** Nobody works in the session: stories are told there, and most sentences are no facts for later. */
	readonly isTalk?: boolean | undefined;
	/** Rules that the user also gave in other sessions hold for the project. */
	readonly isRepeated: (text: string) => boolean;
}

const MAX_MESSAGE_CHARS = 6_000;
/** A longer message is a document: it describes, and only marked sentences are taken. */
const [MAX_TOLD_CHARS, MAX_TOLD_SENTENCES] = [1_500, 12];
const [MIN_CHARS, MAX_CHARS] = [8, 480];
const MIN_FACT_WORDS = 3;
/** An answer to a message that only tells something is short. */
const MAX_ACKNOWLEDGEMENT_CHARS = 400;

/**
 * seq of the newest request, up to an event, whose words are settled; -1: none. The newest one of all may still be worked on.
 */
export function settledBefore({ orders }: Pick<SessionThread, "orders">, upTo = Number.POSITIVE_INFINITY): number {
	const newest = orders.findLastIndex(({ seq }) => seq <= upTo);
	return orders[newest - 1]?.seq ?? -1;
}

export function lastingWords(thread: SessionThread, options: LastingOptions): LastingWords {
	const items: LastingItem[] = [];
	const takenBack: TakenBack[] = [];
	for (const [at, order] of thread.orders.entries()) {
		if (order.seq <= options.after || order.via === "parent") continue;
		const { handle, seq, sender } = order;
		const told = sentencesIn(options.isTalk === true ? { ...order, text: ownSpeech(order.text) } : order);
		const isTask = told.some(({ text }) => isOrder(text)) || options.isWorkedOn(order, thread.orders[at + 1]);
		const isPasted = isPastedMessage(order.text, told.length);
		for (const sentence of told) {
			if (takesBack(sentence.text) && !sentence.isQuestion) takenBack.push({ text: sentence.text, handle, seq });
			const kind = kindOf(sentence, { thread, order, isTask, isPasted, isAlone: told.length === 1, ...options });
			if (kind === undefined || supersededIn(thread).replacerOf(sentence.text, seq, sender)) continue;
			const text = withoutLabel(withoutRememberLead(sentence.text));
			if (!items.some((known) => known.text === text)) items.push({ kind, text, handle, seq, sender });
		}
	}
	return { items, takenBack };
}

interface JudgedSentence {
	readonly text: string;
	readonly isQuestion: boolean;
	/** The words beside it ask to remember it. */
	readonly isMarked: boolean;
}

/** The end of a whole sentence: not at a colon or a semicolon, and not after an abbreviation. */
const SENTENCE_END = new RegExp(
	String.raw`(?<=[.!?…]["'”’)\]*_\x60]*)(?<!\b(?:e\.g|i\.e|z\.B|vs|etc|cf|approx|bzw|usw|p\.ej|No|Nr)\.)(?<!\d\.(?=\s+\p{Ll}))${NO_ORDINAL}\s+|(?<=[。！？])`,
	"u",
);
const QUESTION = /[?？]["')\]]*$/;
const BULLET = /^(?:[-*+•]|\d{1,3}[.)])\s+/;

/** "What would change if:": the items that follow are supposed. */
const CONDITION =
	/(?:(?<!\p{L})(?:if|assuming|suppose|wenn|falls|angenommen|si|suponiendo|supposons|se|если)|如果|假如|もし|만약)[^.!?]{0,20}[:：]\s*$/iu;

function sentencesIn({ text, via }: ThreadOrder): JudgedSentence[] {
	const answers =
		via === "answer" ? [...text.matchAll(/"="((?:[^"]|"(?!,|\.|$))+)"/g)].map(([, each = ""]) => each) : [];
	const prose = answers.length > 0 ? answers.join("\n") : linesOfUser(text).join("\n");
	if (prose.length > MAX_MESSAGE_CHARS) return [];
	const found: string[] = [];
	let isSupposed = false;
	for (const line of prose.split("\n")) {
		if (BULLET.test(line.trim()) ? isSupposed : CONDITION.test(line)) {
			isSupposed = true;
			if (BULLET.test(line.trim())) continue;
		} else if (line.trim() !== "") isSupposed = false;
		for (const part of line.trim().replace(BULLET, "").split(SENTENCE_END)) {
			const sentence = part.trim();
			if (!/[\p{L}\p{N}]/u.test(sentence)) continue;
			// "It must stay so." needs the words before it.
			const last = found.at(-1);
			if (
				last !== undefined &&
				isFragment(sentence) &&
				last.length + sentence.length < MAX_CHARS &&
				!isAskOnly(sentence)
			)
				found[found.length - 1] = `${last} ${sentence}`;
			else found.push(sentence);
		}
	}
	return found.flatMap((sentence, at): JudgedSentence[] => {
		if (isAskOnly(sentence)) return [];
		const beside = [found[at - 1], found[at + 1]];
		// "Please remember this:" before it, or "Remember that." after it.
		const isMarked = [
			beside[0] !== undefined && isAskOnly(beside[0]) && /[:：]$/.test(beside[0]),
			beside[1] !== undefined && isAskOnly(beside[1]) && !/[:：]$/.test(beside[1]),
		].some(Boolean);
		return [{ text: sentence, isQuestion: QUESTION.test(sentence) || asksWithoutMark(sentence), isMarked }];
	});
}

/** Refers to the sentence before it: a conjunction or pronoun, and hardly a word of its own. */
const REFERS =
	/^(?:because|since|so that|otherwise|except|unless|weil|denn|sonst|außer|porque|salvo|car|parce que|sauf|なぜなら|因为|왜냐하면)(?!\p{L})/iu;

function isFragment(sentence: string): boolean {
	return REFERS.test(sentence);
}

/** "Please remember that.": the order to remember alone. */
function isAskOnly(sentence: string): boolean {
	return asksToRemember(sentence) && termsOf(withoutRememberLead(sentence)).size < 2 && sentence.length < 80;
}

interface Judged extends LastingOptions {
	readonly thread: SessionThread;
	readonly order: ThreadOrder;
	readonly isTask: boolean;
	/** The message says nothing else. */
	readonly isAlone: boolean;
	readonly isPasted: boolean;
}

const BY_DEFAULT = /by default|standardmäßig|por defecto|par défaut|по умолчанию|默认|기본적으로/giu;

/** A word, a name, a path with letters, a flag; not `/0, /1 being …`. */
const OPENS_AS_WORDS = /^[^\p{L}\p{N}]*[.@/$-]?[\p{L}_]|^[\p{N}]|^[^\p{L}\p{N}/]+\p{N}/u;

/** Undefined: the sentence stays with its session. */
function kindOf(sentence: JudgedSentence, judged: Judged): LastingKind | undefined {
	const { text, isQuestion } = sentence;
	if (isQuestion || text.length < MIN_CHARS || text.length > MAX_CHARS || /^[#|>]/.test(text)) return undefined;
	const { order, thread, isTask } = judged;
	const remark = remarkOf(thread, order, text);
	if (remark?.replacedBy) return undefined;
	const kind = kindByWords(text, remark);
	// "Note:" is how programs and reports begin a line too.
	const isNote = judged.isPasted && /^\W*note\b/i.test(text);
	if ((asksToRemember(text) && !isNote) || sentence.isMarked) return kind;
	// It introduces what follows it.
	if (/[:：]$/.test(text) || isRefusal(text) || isOffered(text)) return undefined;
	// "I want you to …" is also how people tell what somebody else wishes.
	if ((isHedged(text) || isPlacedOrder(text)) && !opensStanding(text) && !isAboutAnswers(text)) return undefined;
	// Half a sentence.
	if (/(?:[,，、…]|\.\.)$/.test(text) || !OPENS_AS_WORDS.test(text)) return undefined;
	if (judged.isPasted && !opensStanding(text)) return undefined;
	// In talk "postponed" is part of a story, and what looks like an order is one told in a hurry.
	if (judged.isTalk === true) {
		const isTold = kind === "preference" || tellsOfLife(text) || (judged.isAlone && tellsValue(text));
		return isTold && !takesBack(text) ? kind : undefined;
	}
	// "From today on" is for later, though it names the day.
	if ((isForNow(text) && !opensStanding(text)) || isOrder(text) || takesBack(text)) return undefined;
	// Alone it tells the agent how to work; in a request for something else it may speak of that.
	if (isChoice(text) && judged.isAlone) return "rule";
	const isRule = remark?.kind === "rule" || setsRule(text) || isChoice(text);
	if (isRule && (judged.isRepeated(text) || isSaidAgain(judged, text))) return kind;
	const isHabitual =
		isHabit(text) && !isPassing(text) && !pointsAtTalk(text) && (isRule || (!isTalk(text) && opensAsHabit(text)));
	const isMeantForLater = isStanding(text) || isHabitual;
	if (isTask) {
		// What a program does by default is what the work is about.
		if (
			isStanding(text.replace(BY_DEFAULT, "")) ||
			(isHabitual && opensAsHabit(text)) ||
			(kind === "preference" && !isPassing(text.replace(/^i /i, "")))
		)
			return kind;
		const change = correctionIn(text);
		return change && isUnmistakable(change.wrong) && isUnmistakable(change.right) ? kind : undefined;
	}
	if (isMeantForLater || kind === "preference") return kind;
	if (refersBack(text)) return undefined;
	if (isRule) return kind;
	// "Ok, so the relay runs on 7443": what comes after the talk may tell something.
	const told = withoutTalkLead(text);
	if (told !== text)
		return hasValue(told) && LASTING.test(told) && !refersBack(told) && isFact(told, judged) ? kind : undefined;
	if (isTalk(text)) return undefined;
	if (kind === "decision") return kind;
	return remark !== undefined || isFact(text, judged) ? kind : undefined;
}

/** The user had to say the rule again, and not by sending the same task once more. */
function isSaidAgain({ thread, order, isAlone }: Judged, text: string): boolean {
	return thread.orders
		.slice(-MAX_LOOKED_BACK)
		.some(
			(before) =>
				before.seq < order.seq &&
				before.via !== "parent" &&
				before.text.length <= MAX_TOLD_CHARS &&
				(isAlone || !isSameRule(before.text, order.text)) &&
				sentencesIn(before).some((each) => !each.isQuestion && setsRule(each.text) && repeatsRule(text, each.text)),
		);
}

const MAX_LOOKED_BACK = 200;

/** The newer sentence has the older rule in it, and not much else. */
function repeatsRule(newer: string, older: string): boolean {
	const [again, before] = [termsOf(newer), termsOf(older)];
	const shared = sharedCount(again, before);
	const isWhole = shared >= 2 && shared / before.size >= SAME_RULE && again.size <= 2 * before.size;
	return isWhole && isNegated(newer) === isNegated(older);
}

/** Asks for a piece of work, and not for a habit. */
function isOrder(text: string): boolean {
	return asksForWork(text) && !opensStanding(text) && !isAboutAnswers(text);
}

/** A statement of some substance in a message that the agent only acknowledged. */
function isFact(text: string, { order, isAlone }: Judged): boolean {
	const { text: message, outcome, proofs, changed } = order;
	return (
		outcome !== null &&
		outcome.text.length <= MAX_ACKNOWLEDGEMENT_CHARS &&
		message.length <= MAX_TOLD_CHARS &&
		sentencesOf(message).length <= MAX_TOLD_SENTENCES &&
		proofs.length + changed.length === 0 &&
		!isPassing(text) &&
		(!isCasual(text) || (isAlone && isAboutThings(text))) &&
		!pointsAtTalk(text) &&
		wordCount(text) >= MIN_FACT_WORDS
	);
}

function wordCount(text: string): number {
	return [...termsOf(text)].reduce((sum, term) => sum + wordsInTerm(term), 0);
}

function remarkOf({ remarks }: SessionThread, { handle }: ThreadOrder, sentence: string): ThreadRemark | undefined {
	const isIn = ({ handle: source, text, foundBy }: ThreadRemark) =>
		foundBy === undefined && source === handle && sentence.includes(text);
	return remarks.findLast(isIn);
}

function kindByWords(text: string, remark: ThreadRemark | undefined): LastingKind {
	if (isPreference(text)) return "preference";
	const words = withoutRememberLead(text);
	if (setsRule(words) || (remark?.kind === "rule" && !asksToRemember(text))) return "rule";
	if (remark?.kind === "decision" || isDecision(text)) return "decision";
	if (isStanding(words)) return "rule";
	return isPromise(text) ? "open" : "fact";
}

const LABEL = /^([^:：.!?]{2,40})(?::\s+|：\s*)(?=\S)/u;

/** "Some facts first: we use pnpm": the label is about the talk. "Port: 8443" is about the port. */
function withoutLabel(text: string): string {
	const label = LABEL.exec(text);
	if (!label) return text;
	const words = searchTermsOf(label[1] ?? "");
	const rest = text.slice(label[0].length);
	if (!words.every((word) => isOrdinary(word) || TALK.test(word)) || termsOf(rest).size < 2) return text;
	return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

const TALK =
	/^(?:btw|fyi|rules?|reminder|hint|hinweis|info|infos|regeln?|merke|wichtig|important|context|kontext|background|nota|notas|regla|reglas|règles?|rappel|tip|decision|preference|facts?|fakten|datos?|faits?|more|noch|otra|correction|korrektur|corrección|rectification|訂正|更正|정정|记住|请记住|记|请)$/iu;

/** Two sentences that give the same rule. */
export function isSameRule(one: string, other: string): boolean {
	const [mine, theirs] = [termsOf(one), termsOf(other)];
	const shared = sharedCount(mine, theirs);
	return shared >= 2 && shared / Math.max(mine.size, theirs.size) >= SAME_RULE;
}

const SAME_RULE = 0.75;
