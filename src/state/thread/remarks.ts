/** The user's sentences that hold beyond their request: rules, corrections, decisions; and which of them no longer do. */
import { correctionIn, hasValue, isDistinct } from "./corrections.ts";
import { isDecision, setsRule, takesBack } from "./cues.ts";
import { sentencesOf } from "./sentences.ts";
import type { Correction, SessionThread, ThreadRemark } from "./thread.ts";
import { proseOf } from "./user-prose.ts";

const [MIN_SENTENCE_CHARS, MAX_SENTENCE_CHARS] = [6, 600];
const MAX_SENTENCES = 60;
/** A message with headings is a document: most of its sentences describe, and stay with the request. */
const [DOCUMENT_HEADINGS, DOCUMENT_SENTENCES] = [3, 12];
const MAX_REMARKS_BYTES = 60_000;
const MAX_CORRECTIONS = 200;

export interface SpokenWords {
	readonly handle: string;
	readonly seq: number;
	readonly text: string;
}

export function noteRemarks(thread: SessionThread, words: SpokenWords): void {
	const { handle, seq } = words;
	const prose = proseOf(words.text);
	const isDocument = (prose.match(/^#{1,4} /gm) ?? []).length >= DOCUMENT_HEADINGS;
	for (const text of sentencesOf(prose).slice(0, isDocument ? DOCUMENT_SENTENCES : MAX_SENTENCES)) {
		if (text.length < MIN_SENTENCE_CHARS || text.length > MAX_SENTENCE_CHARS || /^[#|]/.test(text)) continue;
		const change = correctionIn(text);
		if (change) {
			thread.corrections.push({ handle, seq, ...change });
			if (thread.corrections.length > MAX_CORRECTIONS) thread.corrections.shift();
			replaceValue(thread, { handle, seq, ...change }, text);
		}
		if (takesBack(text)) takeBack(thread, handle, text);
		const kind = change ? "correction" : setsRule(text) ? "rule" : isDecision(text) ? "decision" : undefined;
		if (kind !== undefined) addRemark(thread, { kind, handle, seq, text, replacedBy: null });
	}
}

function addRemark(thread: SessionThread, remark: ThreadRemark): void {
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

function replaceValue(thread: SessionThread, correction: Correction, sentence: string): void {
	for (const remark of thread.remarks) {
		if (remark.replacedBy === null && isOutdated(remark.text, correction, sentence))
			remark.replacedBy = correction.handle;
	}
}

/** A text with the wrong value and without the right one. An ordinary word counts only beside another shared word. */
function isOutdated(text: string, { wrong, right }: Correction, sentence: string): boolean {
	if (!hasValue(text, wrong) || hasValue(text, right)) return false;
	return isDistinct(wrong) || sharedTerms(text, sentence) >= 2;
}

/** Whether an older sentence gives a value that was corrected later. */
export function correctedBy(thread: SessionThread, text: string, seq: number): Correction | undefined {
	return thread.corrections.find(
		(correction) =>
			seq < correction.seq &&
			isDistinct(correction.wrong) &&
			hasValue(text, correction.wrong) &&
			!hasValue(text, correction.right),
	);
}

const MIN_SHARED = 2;

function takeBack(thread: SessionThread, handle: string, sentence: string): void {
	const fitting = thread.remarks
		.filter(({ replacedBy, kind }) => replacedBy === null && kind === "rule")
		.map((remark) => ({ remark, shared: sharedTerms(remark.text, sentence) }))
		.filter(({ shared }) => shared >= MIN_SHARED);
	const most = Math.max(0, ...fitting.map(({ shared }) => shared));
	for (const { remark, shared } of fitting) if (shared === most) remark.replacedBy = handle;
}

const WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}_./-]{3,}/gu;
/** Scripts that write words without spaces; the letters of Japanese grammar are left out. */
const RUN = /[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu;
const COMMON =
	/^(?:the|and|for|you|not|now|use|with|that|this|from|are|can|may|never|always|must|don|rule|again|please|forget|about|any|more|our|when|und|der|die|das|nicht|immer|nie|mehr|wieder|los|las|que|con|siempre|nunca)$/iu;

function sharedTerms(one: string, other: string): number {
	const terms = new Set(termsOf(one));
	return [...new Set(termsOf(other))].filter((term) => terms.has(term)).length;
}

function termsOf(text: string): string[] {
	const lower = text.toLowerCase();
	const pairs = (lower.match(RUN) ?? []).flatMap((run) =>
		[...run].slice(1).map((char, at) => `${[...run][at]}${char}`),
	);
	const words = (lower.match(WORD) ?? [])
		.map((word) => word.replace(/[.-]+$/, ""))
		.filter((word) => !COMMON.test(word));
	return [...words, ...pairs];
}
