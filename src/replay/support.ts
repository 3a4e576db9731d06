/**
 * Support: of what an action relies on, how much did the context really hold? Three kinds of text are looked for, each
 * only where it stood in an earlier message at all: the old text of an edit, the paths of a call, and the distinctive
 * terms of the answer's text and arguments. Presence is not use; but what is absent cannot be used.
 */
import { asList, asObject, asText, type JsonObject } from "../json/read.ts";
import type { Answer } from "./recording.ts";

export interface Demand {
	readonly edits: readonly string[];
	readonly paths: readonly string[];
	readonly terms: readonly string[];
}

type Count = [held: number, of: number];
export type SupportCount = { readonly [Kind in keyof Demand]: Count };

/** Runs of word characters joined by one of . / -, with something in them that prose has not. */
const TERM = /[A-Za-z0-9_$]+(?:[./-][A-Za-z0-9_$]+)*/g;
const DISTINCTIVE = /[0-9_./A-Z]/;
const MIN_TERM_CHARS = 5;

/** All that the action names; what stood in the history before it is for the caller to choose. */
export function demandOf(answer: Pick<Answer, "calls" | "said">): Demand {
	const inputs = answer.calls.map((call) => asObject(call.input) ?? {});
	return {
		edits: inputs.flatMap(oldTexts).filter((text) => text.trim() !== ""),
		paths: [...new Set(inputs.flatMap(pathsOf))],
		terms: termsOf(answer.said),
	};
}

export function termsOf(text: string): string[] {
	const terms = new Set<string>();
	for (const [term] of text.matchAll(TERM)) {
		if (term.length >= MIN_TERM_CHARS && DISTINCTIVE.test(term)) terms.add(term);
	}
	return [...terms];
}

export function emptyCount(): SupportCount {
	return { edits: [0, 0], paths: [0, 0], terms: [0, 0] };
}

export function countSupport(into: SupportCount, demand: Demand, holds: (text: string) => boolean): void {
	for (const kind of ["edits", "paths", "terms"] as const) {
		for (const text of demand[kind]) {
			into[kind][1]++;
			if (holds(text)) into[kind][0]++;
		}
	}
}

/** 1 where nothing was asked for. */
export function shareOf([held, of]: Count): number {
	return of === 0 ? 1 : held / of;
}

function pathsOf(input: JsonObject): string[] {
	return ["path", "file_path", "notebook_path"].flatMap((key) => asText(input[key]) || []);
}

function oldTexts(input: JsonObject): string[] {
	const edits = [input, ...asList(input["edits"]).map((edit) => asObject(edit) ?? {})];
	return edits.flatMap((edit) => ["oldText", "old_string", "old_text"].flatMap((key) => asText(edit[key]) ?? []));
}
