/** Finds the terms of a query in a text, to show them to people: the index is asked for no positions. */
import { foldText } from "./letters.ts";
import type { QueryTerm } from "./query.ts";
import type { TextRange } from "./types.ts";
import { beginsPart, identifierParts, WORD } from "./words.ts";

const SUFFIX = /(?:ational|ations?|ings?|ments?|ness|able|edly|ies|ied|ers?|ed|es|ly|s|e|y)$/;
/** Marks beyond the snippet are useless. */
const MAX_REACH_CHARS = 256;

/** Ranges of the terms from the earliest match on, in order, without overlap. Empty: no term was recognised. */
export function markTerms(text: string, patterns: readonly (readonly TermPattern[])[]): readonly TextRange[] {
	const folded = foldText(text);
	const found: { pattern: TermPattern; first: number }[] = [];
	for (const levels of patterns) {
		for (const pattern of levels) {
			const first = matches(text, folded, pattern).next().value?.start;
			if (first === undefined) continue;
			found.push({ pattern, first });
			break;
		}
	}
	const from = Math.min(...found.map(({ first }) => first));
	const ranges = found.flatMap(({ pattern, first }) => {
		const near: TextRange[] = [];
		for (const range of matches(text, folded, pattern, first)) {
			if (range.start >= from + MAX_REACH_CHARS) break;
			near.push(range);
		}
		return near;
	});
	return withoutOverlap(ranges.sort((a, b) => a.start - b.start || b.end - a.end));
}

interface TermPattern {
	/** For folded text. */
	readonly regex: RegExp;
	/** True: a match counts only where a word or a part of an identifier begins, which folded text does not show. */
	readonly isBeginning: boolean;
}

/**
 * Patterns for each term, best first: as whole words, as the beginning of a word or of a part of an identifier, as another form
 * of the word, anywhere.
 */
export function termPatterns(terms: readonly QueryTerm[]): readonly (readonly TermPattern[])[] {
	return terms.map((term) => {
		const words = identifierParts(term).flatMap((part) => foldText(part).match(WORD) ?? []);
		if (words.length === 0) {
			const regex = new RegExp(foldText(term).replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "gu");
			return [{ regex, isBeginning: false }];
		}
		const part = words.join("[^\\p{L}\\p{N}]*");
		const stems = words.map((word) => `${stem(word)}[\\p{L}\\p{N}]*`).join("[^\\p{L}\\p{N}]*");
		const anywhere = new RegExp(part, "gu");
		return [
			{ regex: new RegExp(`(?<![\\p{L}\\p{N}])${part}(?![\\p{L}\\p{N}])`, "gu"), isBeginning: false },
			{ regex: anywhere, isBeginning: true },
			{ regex: new RegExp(`(?<![\\p{L}\\p{N}])${stems}`, "gu"), isBeginning: false },
			{ regex: anywhere, isBeginning: false },
		];
	});
}

function* matches(
	text: string,
	folded: string,
	{ regex, isBeginning }: TermPattern,
	from = 0,
): Generator<TextRange, undefined> {
	regex.lastIndex = from;
	for (let match = regex.exec(folded); match; match = regex.exec(folded)) {
		const { 0: found, index } = match;
		if (!isBeginning || beginsPart(text, index)) yield { start: index, end: index + found.length };
	}
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
