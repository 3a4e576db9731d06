/**
 * Whether later words of the user replace an older sentence. They do where they name its value as the old one, where they give the
 * same subject another value, or where they are about the same and say that something changed.
 */
import { endedIn, hasValue, isUnmistakable } from "./corrections.ts";
import { isNegated, saysChange, takesBack } from "./cues.ts";
import { sentencesOf } from "./sentences.ts";
import { sharedCount, termsOf, valuesOf } from "./terms.ts";
import type { Correction, SessionThread } from "./thread.ts";

const MAX_CORRECTIONS_BYTES = 60_000;
/** Of the terms of the shorter sentence, from which on two sentences are about the same. */
const [SAME_SUBJECT, SAME_WITH_VALUE, MOST_OF_SUBJECT, MOST_OF_SENTENCE] = [0.5, 0.4, 0.75, 0.6];
/** A sentence with more terms than this says more than one thing. */
const MAX_TERMS = 40;

export function addTo(thread: SessionThread, correction: Correction): void {
	thread.corrections.push(correction);
	let bytes = thread.corrections.reduce((sum, { text }) => sum + text.length, 0);
	while (bytes > MAX_CORRECTIONS_BYTES) bytes -= thread.corrections.shift()?.text.length ?? bytes;
}

export function replacerOf(thread: SessionThread, text: string, seq: number): Correction | undefined {
	const sentences = sentencesOf(text);
	return thread.corrections.findLast(
		(correction) => seq < correction.seq && sentences.some((sentence) => replacesBehindLabel(correction, sentence)),
	);
}

/** `Understood: the port is 7443`: the words before the colon are about the talk. */
function replacesBehindLabel(correction: Correction, sentence: string): boolean {
	if (replaces(correction, sentence)) return true;
	const words = /^[^:：]{1,30}[:：]\s*(.{4,})$/u.exec(sentence)?.[1];
	return words !== undefined && replaces(correction, words);
}

export function replaces(correction: Correction, sentence: string): boolean {
	const { text, wrong, right } = correction;
	if (text === sentence || sentencesOf(text).includes(sentence)) return false;
	const older = measuresOf(sentence);
	const newer = measuresOf(text);
	if (older.terms.size === 0 || older.terms.size > MAX_TERMS) return false;
	const shared = sharedCount(older.terms, newer.terms);
	const share = shared / Math.min(older.terms.size, newer.terms.size);
	if (wrong !== "" && hasValue(sentence, wrong)) {
		if (hasValue(sentence, right)) return false;
		return isUnmistakable(wrong) || shared >= 2 || shared / older.terms.size >= SAME_WITH_VALUE;
	}
	if (shared === 0) return false;
	const ended = newer.ended.filter((name) => hasValue(sentence, name));
	if (ended.some(isUnmistakable)) return true;
	// Most of what the older sentence is about.
	const part = shared / older.terms.size;
	if (ended.length > 0 && older.isNegated === false && part >= SAME_WITH_VALUE) return true;
	const own = [...older.values].filter((value) => !newer.values.has(value));
	const others = [...newer.values].filter((value) => !older.values.has(value));
	const subject = shared - (older.values.size - own.length);
	// The new words name the old value beside the new one.
	if (own.length < older.values.size && others.length > 0 && subject >= 1 && newer.isChange) return true;
	if (own.some((value) => others.some((other) => isAlike(value, other)))) {
		const least = Math.max(1, Math.min(older.terms.size - older.values.size, newer.terms.size - newer.values.size));
		return subject >= 1 && subject / least >= (newer.isChange ? SAME_SUBJECT : MOST_OF_SUBJECT);
	}
	if (newer.isTakenBack && older.isNegated !== newer.isNegated && part >= SAME_SUBJECT) return true;
	if (older.isNegated !== newer.isNegated && part >= MOST_OF_SENTENCE && (shared >= 2 || older.terms.size === 1)) return true;
	return newer.isChange && part >= SAME_SUBJECT && (shared >= 2 || share === 1);
}

interface Measures {
	readonly terms: ReadonlySet<string>;
	readonly values: ReadonlySet<string>;
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
	const measures = {
		terms: termsOf(text),
		values: valuesOf(text),
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

function shapeOf(value: string): string {
	if (/^[\p{L}]+$/u.test(value) || /^\p{N}/u.test(value)) return "number";
	return value.includes("/") ? "path" : "name";
}
