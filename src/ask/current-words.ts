/**
 * What an answer may quote as true: a sentence that the user replaced later gives way to a pointer to the words that replaced it. A
 * question about the past gets both.
 */
import { oneLine } from "../base/text/printable.ts";
import { handleOf } from "../log/handle.ts";
import { isWithin } from "../log/search/filter.ts";
import { asksAboutPast } from "../state/memory/durable/lasting-cues.ts";
import { type SaidText, supersededInScope } from "../state/memory/superseded-in-scope.ts";
import { rewordSentences } from "../state/thread/superseded-words.ts";
import type { Correction } from "../state/thread/thread.ts";
import type { NarrowedQuestion } from "./narrowed-question.ts";
import type { AnswerLine } from "./types.ts";

export interface CurrentWords {
	/** Empty: nothing of the text holds. */
	readonly text: string;
	/** The words that replaced parts of it. */
	readonly replacers: readonly Correction[];
}

export function currentWords(question: NarrowedQuestion, said: SaidText): CurrentWords {
	const { log, scope, state } = question.sources;
	const superseded = supersededInScope(log, state().thread, scope);
	const replacers = new Set<Correction>();
	let isEmpty = true;
	const text = rewordSentences(said.text, (sentence) => {
		const replacer = superseded.replacerOf({ ...said, text: sentence });
		if (!replacer) {
			isEmpty = false;
			return undefined;
		}
		replacers.add(replacer);
		const mark = `[no longer true: see ${replacer.handle}]`;
		return isAboutPast(question) ? `${sentence} ${mark}` : mark;
	});
	return { text: isEmpty && replacers.size > 0 && !isAboutPast(question) ? "" : text, replacers: [...replacers] };
}

/** A question about a time, a session or an agent is about what was said there. */
export function isAboutPast({ reading, span, isNamed }: NarrowedQuestion): boolean {
	return isNamed || span !== undefined || reading.end === "first" || asksAboutPast(reading.text);
}

/** The line of the words that hold now. Undefined: none hold in their place, or the question is about other sessions. */
export function replacerLine(
	{ sources: { log }, within }: NarrowedQuestion,
	{ seq, handle, text }: Correction,
): AnswerLine | undefined {
	const record = log.get(seq);
	if (record && handleOf(record) === handle) {
		const { session, ts } = record;
		return isWithin(within, session) ? { text: `user: ${oneLine(text)}`, handle, session, ts } : undefined;
	}
	return text === "" ? undefined : { text: `memory: ${oneLine(text)}`, handle };
}
