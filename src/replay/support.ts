/**
 * Support: of what an action relies on, how much did the context really hold? Three kinds of text are looked for, each
 * only where it stood in an earlier message at all: the old text of an edit, the paths of a call, and the distinctive
 * terms of the answer's text and arguments. Presence is not use; but what is absent cannot be used.
 */
import { asObject, asText } from "../transcript/json.ts";
import type { RecordedMessage } from "./recording.ts";

export interface Demand {
	readonly edits: readonly string[];
	readonly paths: readonly string[];
	readonly terms: readonly string[];
}

export interface SupportCount {
	edits: [held: number, of: number];
	paths: [held: number, of: number];
	terms: [held: number, of: number];
}

/** Runs of word characters joined by . / -, five characters or more, with something in them that prose has not. */
const TERM = /[A-Za-z0-9_$]+(?:[./-]+[A-Za-z0-9_$]+)*/g;
const DISTINCTIVE = /[0-9_./A-Z]/;
const MIN_TERM_CHARS = 5;

/** What the action relies on, as far as it stood in the history before it. */
export function demandOf(answer: RecordedMessage, stoodBefore: (text: string) => boolean): Demand {
	const edits: string[] = [];
	const paths = new Set<string>();
	for (const call of answer.calls) {
		const input = asObject(call.input) ?? {};
		for (const key of ["path", "file_path", "notebook_path"]) {
			const path = asText(input[key]);
			if (path) paths.add(path);
		}
		edits.push(...oldTexts(input));
	}
	return {
		edits: edits.filter((text) => text.trim() !== "" && stoodBefore(text)),
		paths: [...paths].filter(stoodBefore),
		terms: termsOf(answer.text).filter(stoodBefore),
	};
}

export function termsOf(text: string): string[] {
	const terms = new Set<string>();
	for (const [term] of text.matchAll(TERM)) {
		if (term.length >= MIN_TERM_CHARS && DISTINCTIVE.test(term)) terms.add(term);
	}
	return [...terms];
}

export function countSupport(into: SupportCount, demand: Demand, holds: (text: string) => boolean): void {
	for (const kind of ["edits", "paths", "terms"] as const) {
		for (const text of demand[kind]) {
			into[kind][1]++;
			if (holds(text)) into[kind][0]++;
		}
	}
}

function oldTexts(input: Readonly<Record<string, unknown>>): string[] {
	const texts = [asText(input["oldText"]), asText(input["old_string"]), asText(input["old_text"])];
	for (const edit of Array.isArray(input["edits"]) ? input["edits"] : []) {
		const fields = asObject(edit) ?? {};
		texts.push(asText(fields["oldText"]), asText(fields["old_string"]));
	}
	return texts.filter((text) => text !== undefined);
}
