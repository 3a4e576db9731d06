/** Finds the terms of a query in a text, to show them to people: the index is asked for no positions. */
import { foldText } from "./letters.ts";
import type { QueryTerm } from "./query.ts";
import type { TextRange } from "./types.ts";
import { identifierParts, WORD } from "./words.ts";

const SUFFIX = /(?:ational|ations?|ings?|ments?|ness|able|edly|ies|ied|ers?|ed|es|ly|s|e|y)$/;
/** Marks beyond the snippet are useless. */
const MAX_REACH_CHARS = 256;

/** Ranges of the terms from the earliest match on, in order, without overlap. Empty: no term was recognised. */
export function markTerms(text: string, patterns: readonly (readonly RegExp[])[]): readonly TextRange[] {
	const folded = foldText(text);
	const found: { pattern: RegExp; first: number }[] = [];
	for (const levels of patterns) {
		for (const pattern of levels) {
			const first = folded.search(pattern);
			if (first < 0) continue;
			found.push({ pattern, first });
			break;
		}
	}
	const from = Math.min(...found.map(({ first }) => first));
	const ranges = found.flatMap(({ pattern, first }) => rangesWithin(folded, pattern, first, from + MAX_REACH_CHARS));
	return withoutOverlap(ranges.sort((a, b) => a.start - b.start || b.end - a.end));
}

/** Patterns for each term, best first: as whole words, as a part of a word, as another form of the word. */
export function termPatterns(terms: readonly QueryTerm[]): readonly (readonly RegExp[])[] {
	return terms.map((term) => {
		const words = identifierParts(term).flatMap((part) => foldText(part).match(WORD) ?? []);
		if (words.length === 0) return [new RegExp(foldText(term).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "gu")];
		const part = words.join("[^\\p{L}\\p{N}]*");
		const stems = words.map((word) => `${stem(word)}[\\p{L}\\p{N}]*`).join("[^\\p{L}\\p{N}]*");
		return [
			new RegExp(`(?<![\\p{L}\\p{N}])${part}(?![\\p{L}\\p{N}])`, "gu"),
			new RegExp(part, "gu"),
			new RegExp(`(?<![\\p{L}\\p{N}])${stems}`, "gu"),
		];
	});
}

function rangesWithin(folded: string, pattern: RegExp, first: number, reach: number): TextRange[] {
	const ranges: TextRange[] = [];
	pattern.lastIndex = first;
	for (let match = pattern.exec(folded); match && match.index < reach; match = pattern.exec(folded)) {
		ranges.push({ start: match.index, end: match.index + match[0].length });
	}
	pattern.lastIndex = 0;
	return ranges;
}

function withoutOverlap(ranges: readonly TextRange[]): readonly TextRange[] {
	const kept: TextRange[] = [];
	for (const range of ranges) if (range.start >= (kept.at(-1)?.end ?? 0)) kept.push(range);
	return kept;
}

/** Close enough to Porter's stem to recognise another form of the word. */
function stem(word: string): string {
	const short = word.replace(SUFFIX, "");
	return short.length >= 3 ? short : word;
}
