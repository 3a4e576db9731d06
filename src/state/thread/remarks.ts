/** The user's sentences that hold beyond their request: rules, corrections, decisions; and which of them no longer do. */

import { correctionIn, hasValue, isDistinct } from "./corrections.ts";
import { correctsItself, isDecision, isQuestion, reportsFault, saysChange, setsRule, takesBack } from "./cues.ts";
import { answersIn, isOffered } from "./dialog-answers.ts";
import { choicesIn } from "./named-options.ts";
import { isOfOtherSpeaker } from "./other-speaker.ts";
import { linesOfUser } from "./others-words.ts";
import { asksForWork } from "./requested-work.ts";
import { sentencesOf } from "./sentences.ts";
import { addTo, replaces, replacesEarlier } from "./supersession.ts";
import { sharedCount, termsOf, valuesOf } from "./terms.ts";
import type { Correction, SessionThread, ThreadRemark } from "./thread.ts";

const [MIN_SENTENCE_CHARS, MAX_SENTENCE_CHARS] = [6, 600];
const MAX_SENTENCES = 60;
/** A message with headings is a document: most of its sentences describe, and stay with the request. */
const [DOCUMENT_HEADINGS, DOCUMENT_SENTENCES] = [3, 12];
/** Longer messages are drafts, reviews or specifications. */
const MAX_SPOKEN_LINES = 14;
/** Older words of the user are rarely corrected, and each comparison takes time. */
const RECENT_REMARKS = 200;
const MAX_PROSE_CHARS = 24_000;
const MAX_REMARKS_BYTES = 60_000;

export interface SpokenWords {
	readonly handle: string;
	readonly seq: number;
	readonly text: string;
	/** In a conversation of several people. */
	readonly sender?: string | undefined;
}

export function noteRemarks(thread: SessionThread, words: SpokenWords): void {
	const { handle, seq, sender } = words;
	const by = sender === undefined ? {} : { sender };
	for (const { answer, pair } of answersIn(words.text) ?? []) {
		if (isOffered(answer) && pair.length <= MAX_SENTENCE_CHARS)
			addRemark(thread, { kind: "decision", handle, seq, text: pair, replacedBy: null });
	}
	const { lines, isDocument } = linesOf(words.text);
	for (const line of withoutPremises(lines)) {
		for (const text of sentencesOf(line)) {
			if (text.length < MIN_SENTENCE_CHARS || text.length > MAX_SENTENCE_CHARS || /^[#|]/.test(text)) continue;
			const isAsked = isQuestion(text);
			const change = isAsked || isDocument ? undefined : correctionIn(text);
			const isBack = !isAsked && takesBack(text);
			if (isBack) takeBack(thread, handle, text);
			let kind: ThreadRemark["kind"] | undefined = change && correctsItself(text) ? "correction" : undefined;
			if (!isAsked && !isDocument) {
				const correction = added(thread, { handle, seq, text, wrong: "", right: "", ...by, ...change }, line);
				if (correction && (change || mayReplace(text))) {
					const isNews =
						replaceRemarks(thread, correction) ||
						replacesEarlier(thread, correction) ||
						(change !== undefined && isSaidByAgent(thread, change.wrong));
					// An order about the same is no correction unless it names what it replaces.
					const isAssertion = change !== undefined || !(asksForWork(text) || reportsFault(text));
					if (isNews && !isBack) kind = setsRule(text) ? "rule" : isAssertion ? "correction" : undefined;
				}
			}
			kind ??= isBack
				? undefined
				: setsRule(text)
					? "rule"
					: isDecision(text) && !isAsked && !isDocument && !reportsFault(text) && !/\bwhether\b/i.test(text)
						? "decision"
						: undefined;
			if (kind !== undefined) addRemark(thread, { kind, handle, seq, text, replacedBy: null });
		}
	}
}

/** A reply that opens like this turns from what was chosen before. */
const TURNS =
	/^(?:(?:or|oh|and|hm+|ok(?:ay)?|sorry|wait|so)[,. ]+)*(?:no|nope|rather|instead|actually|better|nein|doch|lieber|mejor|non|plutôt|いや|いいえ|やっぱり|不|还是|아니)(?!\p{L})/iu;
/** Words that an option has in common with a decision on the same. */
const MIN_NARROWED = 2;

/** Options of the agent that the user chose. A later choice from the same answer that turns round replaces it. */
export function noteChoices(thread: SessionThread, { handle, seq, text }: SpokenWords): void {
	const isTurn = TURNS.test(text.trim()) || saysChange(text.slice(0, MAX_TURN_CHARS));
	for (const choice of choicesIn(thread, handle, text)) {
		const { of, options } = choice;
		const terms = termsOf(options.join(" "));
		// The sentence alone names nothing.
		thread.remarks = thread.remarks.filter((each) => each.handle !== handle || !choice.text.startsWith(each.text));
		for (const remark of thread.remarks) {
			if (remark.kind !== "decision" || remark.handle === handle) continue;
			if (remark.choiceOf === of && isTurn) remark.replacedBy ??= handle;
			else if (remark.handle === of && sharedCount(terms, termsOf(remark.text)) >= MIN_NARROWED)
				remark.narrowedBy = handle;
		}
		addRemark(thread, { kind: "decision", handle, seq, text: choice.text, replacedBy: null, choiceOf: of });
	}
}

const MAX_TURN_CHARS = 60;

/** The reason of a change often follows in a sentence of its own, so the line counts; the sentence alone where the line says more. */
function added(thread: SessionThread, correction: Correction, line: string): Correction | undefined {
	return [line, correction.text]
		.filter((text) => text.length <= MAX_SENTENCE_CHARS)
		.map((text) => ({ ...correction, text }))
		.find((each) => addTo(thread, each));
}

/** A sentence with a word of change, or one that gives something a value. Others are only about the same. */
function mayReplace(text: string): boolean {
	return saysChange(text) || setsRule(text) || isDecision(text) || takesBack(text) || valuesOf(text).size > 0;
}

/** `What would you change if:` leads to a list of what is only assumed. */
const ASSUMES =
	/(?<!\p{L})(?:if|suppose|supposing|assume|assuming|imagine|wenn|falls|angenommen|nehmen wir an|si|supongamos(?: que)?|supposons(?: que)?|если)\s*(?:\.{2,}|…)?[:：]?\s*$|(?:如果|假如|假设|もし|仮に|만약)[^。]{0,12}[:：]\s*$/iu;
const LISTED = /^\s*(?:[-*+•–]|\d{1,2}[.)]) /;

function withoutPremises(lines: readonly string[]): string[] {
	let isAssumed = false;
	return lines.filter((line) => {
		if (line.trim() === "") return true;
		isAssumed = LISTED.test(line) ? isAssumed : ASSUMES.test(line);
		return !isAssumed || !LISTED.test(line);
	});
}

/** The user's own lines; the answers in a dialog are lines too. */
function linesOf(text: string): { readonly lines: readonly string[]; readonly isDocument: boolean } {
	const answers = answersIn(text)?.flatMap(({ answer }) => (isOffered(answer) ? [] : [answer]));
	const prose = (answers ?? linesOfUser(text))
		.join("\n")
		.slice(0, MAX_PROSE_CHARS)
		.replace(/^\/[\w:.-]+ /, "");
	const isDocument =
		(prose.match(/^#{1,4} /gm) ?? []).length >= DOCUMENT_HEADINGS ||
		(prose.match(/^\s*\S/gm) ?? []).length > MAX_SPOKEN_LINES;
	return { lines: prose.split("\n").slice(0, isDocument ? DOCUMENT_SENTENCES : MAX_SENTENCES), isDocument };
}

export function addRemark(thread: SessionThread, remark: ThreadRemark): void {
	// The same words again: the newest place is the one to show.
	const others = thread.remarks.filter(({ text }) => text !== remark.text);
	others.push(remark);
	let bytes = others.reduce((sum, { text }) => sum + text.length, 0);
	while (bytes > MAX_REMARKS_BYTES) {
		const replaced = others.findIndex(({ replacedBy }) => replacedBy !== null);
		const [dropped] = others.splice(Math.max(0, replaced), 1);
		bytes -= dropped?.text.length ?? bytes;
	}
	thread.remarks = others;
}

function replaceRemarks(thread: SessionThread, correction: Correction): boolean {
	const replaced = thread.remarks
		.slice(-RECENT_REMARKS)
		.filter(
			({ replacedBy, seq, text, handle }) =>
				replacedBy === null &&
				seq < correction.seq &&
				replaces(correction, text) &&
				!isOfOtherSpeaker(correction, text, thread.orders.find((order) => order.handle === handle)?.sender),
		);
	for (const remark of replaced) remark.replacedBy = correction.handle;
	return replaced.length > 0;
}

/** The last answers, to which the user's words may be an answer. */
const RECENT_ORDERS = 4;

/** The agent gave this value, and the user gives another. */
function isSaidByAgent({ orders }: SessionThread, value: string): boolean {
	if (!isDistinct(value)) return false;
	return orders
		.slice(-RECENT_ORDERS)
		.some(({ outcome, statements }) =>
			[...statements, ...(outcome ? [outcome] : [])].some(({ text }) => hasValue(text, value)),
		);
}

const MIN_SHARED = 2;
/** Of a rule's terms: one that is named alone must be most of what the rule is about. */
const MIN_SHARE = 0.4;

function takeBack(thread: SessionThread, handle: string, sentence: string): void {
	const said = termsOf(sentence);
	const fitting = thread.remarks
		.filter(({ replacedBy, kind, handle: source }) => replacedBy === null && kind !== "correction" && source !== handle)
		.map((remark) => {
			const terms = termsOf(remark.text);
			const shared = sharedCount(terms, said);
			return { remark, shared, share: shared / Math.max(1, terms.size) };
		})
		.filter(({ shared, share }) => shared >= MIN_SHARED || (shared === 1 && share >= MIN_SHARE));
	const most = Math.max(0, ...fitting.map(({ shared, share }) => shared + share));
	for (const { remark, shared, share } of fitting) if (shared + share === most) remark.replacedBy = handle;
}
