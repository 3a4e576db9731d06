/** What the server's word index holds, and is asked: our own splitting, as the local search does it. */

import { stem } from "../base/text/porter.ts";
import { fold, isAscii } from "../log/search/fold.ts";
import { parseTerms, type Term } from "../log/search/query.ts";
import { distinctWords, endsInSingle, identifierParts, spread, WALL } from "../log/search/words.ts";
import { makeVector, newStem, type Stem } from "./vector.ts";

const MAX_CHARS = 300_000;
const ASCII_WORD = /[0-9A-Za-z]+/g;
const NOT_WORD = /[^\p{L}\p{N}]+/gu;

/** As a tsvector. Parts of identifiers come first: the places of words far behind are not kept. */
export function fleetWords(text: string): Uint8Array {
	forgetTooMany();
	const start = text.slice(0, MAX_CHARS).toWellFormed();
	const groups: (readonly Stem[])[] = [];
	if (isAscii(start)) {
		const words = (start.match(ASCII_WORD) ?? []).map(lookUp);
		const seen = new Set<Word>();
		for (const word of words) {
			if (!word.parts || seen.has(word)) continue;
			seen.add(word);
			groups.push(word.parts);
		}
		groups.push(words.map((word) => word.stem));
	} else {
		for (const word of distinctWords(start)) {
			const parts = identifierParts(word);
			if (parts.length > 1) groups.push(plainStems(spread(parts.join(" "))));
		}
		groups.push(plainStems(spread(start)));
	}
	return makeVector(groups, stemOf(WALL));
}

interface Word {
	readonly stem: Stem;
	/** Where it is an identifier of several parts. */
	readonly parts: readonly Stem[] | undefined;
}

/** Most words of a log come again and again. */
const known = { words: new Map<string, Word>(), stems: new Map<string, Stem>() };
const MAX_KNOWN = 50_000;

/** Between two texts: within one, a stem is one object. */
function forgetTooMany(): void {
	if (known.words.size + known.stems.size < MAX_KNOWN) return;
	known.words.clear();
	known.stems.clear();
}

function lookUp(text: string): Word {
	const found = known.words.get(text);
	if (found) return found;
	const parts = identifierParts(text);
	const made: Word = {
		stem: stemOf(text.toLowerCase()),
		parts: parts.length > 1 ? parts.map((part) => stemOf(part.toLowerCase())) : undefined,
	};
	known.words.set(copied(text), made);
	return made;
}

function stemOf(word: string): Stem {
	const text = stem(word);
	const found = known.stems.get(text);
	if (found) return found;
	const made = newStem(copied(text));
	known.stems.set(made.text, made);
	return made;
}

/** A piece of a long text would keep the whole of it in memory. */
function copied(piece: string): string {
	return Buffer.from(piece).toString();
}

/**
 * The query as tsquery expressions, best first: what holds the identifier itself, then what holds its words. None:
 * there is no word to find.
 */
export function fleetQueries(text: string): readonly string[] {
	const terms = parseTerms(text);
	const wide = allOf(terms, false);
	const narrow = allOf(terms, true);
	if (wide === "") return [];
	return wide === narrow ? [wide] : [narrow, wide];
}

function allOf(terms: readonly Term[], onlyIdentifiers: boolean): string {
	return terms
		.map((term) => termQuery(term, onlyIdentifiers))
		.filter((query) => query !== "")
		.join(" & ");
}

function termQuery(term: Term, onlyIdentifiers: boolean): string {
	const whole = phrase(spread(term, { open: true }), endsInSingle(term));
	const parts = /^[\p{L}\p{N}]+$/u.test(term) ? identifierParts(term) : [];
	if (whole === "" || parts.length < 2) return whole;
	const split = phrase(spread(`${onlyIdentifiers ? `${WALL} ` : ""}${parts.join(" ")}`, { open: true }), false);
	return `(${whole} | ${split})`;
}

/** Words that follow each other. Letters and digits alone: nothing in them is an operator. */
function phrase(words: string, isOpen: boolean): string {
	const list = plainStems(words);
	if (list.length === 0) return "";
	const quoted = list.map(({ text }, at) => `'${text}'${isOpen && at === list.length - 1 ? ":*" : ""}`);
	return quoted.length === 1 ? quoted[0]! : `(${quoted.join(" <-> ")})`;
}

function plainStems(text: string): Stem[] {
	if (isAscii(text)) return (text.match(ASCII_WORD) ?? []).map((word) => lookUp(word).stem);
	return fold(text)
		.split(NOT_WORD)
		.flatMap((word) => (word === "" ? [] : stemOf(word)));
}
