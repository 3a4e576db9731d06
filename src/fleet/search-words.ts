/** The content of the server's word index and queries for it, split into words as the local search does. */

import { foldText, isAscii } from "../log/search/fold-text.ts";
import { parseTerms, type QueryTerm } from "../log/search/query.ts";
import { distinctWords, endsInSingle, identifierParts, spread, WALL } from "../log/search/words.ts";
import { Stemmer } from "./stemmer.ts";
import { makeVector, newStem, type Stem } from "./tsvector.ts";

const MAX_CHARS = 300_000;
const ASCII_WORD = /[0-9A-Za-z]+/g;
const NOT_WORD = /[^\p{L}\p{N}]+/gu;

/** As a tsvector. Parts of identifiers come first: PostgreSQL drops the positions of words far behind. */
export function fleetWords(text: string): Uint8Array {
	forgetTooMany();
	const start = text.slice(0, MAX_CHARS).toWellFormed();
	const groups: (readonly Stem[])[] = [];
	if (isAscii(start)) {
		const words = lookUpAll(start.match(ASCII_WORD) ?? []);
		const seen = new Set<KnownWord>();
		for (const word of words) {
			if (!word.parts || seen.has(word)) continue;
			seen.add(word);
			groups.push(word.parts);
		}
		groups.push(words.map((word) => word.stem));
	} else {
		const lists: (readonly string[])[] = [];
		for (const word of distinctWords(start)) {
			const parts = identifierParts(word);
			if (parts.length > 1) lists.push(plainWords(spread(parts.join(" "))));
		}
		lists.push(plainWords(spread(start)));
		// All at once first: one list at a time would cost SQLite much more.
		stemAll(lists.flat());
		groups.push(...lists.map(stemAll));
	}
	return makeVector(groups, stemNamed(WALL));
}

interface KnownWord {
	readonly stem: Stem;
	/** Of an identifier that has several. */
	readonly parts: readonly Stem[] | undefined;
}

/** Most words of a log come again and again. */
const known = {
	/** By the word as the text has it. */
	words: new Map<string, KnownWord>(),
	/** By the word in small letters. */
	stems: new Map<string, Stem>(),
	/** By the stem itself: within one text a stem is one object. */
	byName: new Map<string, Stem>(),
};
const MAX_KNOWN_WORDS = 50_000;
let stemmer: Stemmer | undefined;

/** Only between two texts. */
function forgetTooMany(): void {
	if (known.words.size + known.byName.size < MAX_KNOWN_WORDS) return;
	known.words.clear();
	known.stems.clear();
	known.byName.clear();
}

function lookUpAll(texts: readonly string[]): readonly KnownWord[] {
	const fresh = new Map<string, readonly string[]>();
	for (const text of texts) {
		if (!known.words.has(text) && !fresh.has(text)) fresh.set(text, identifierParts(text));
	}
	if (fresh.size > 0) {
		stemAll([...fresh].flat(2).map((word) => word.toLowerCase()));
		for (const [text, parts] of fresh) {
			const [stem, ...others] = stemAll([text, ...parts].map((word) => word.toLowerCase()));
			if (stem) known.words.set(copied(text), { stem, parts: parts.length > 1 ? others : undefined });
		}
	}
	return texts.flatMap((text) => known.words.get(text) ?? []);
}

function stemAll(words: readonly string[]): Stem[] {
	const fresh = [...new Set(words)].filter((word) => !known.stems.has(word));
	if (fresh.length > 0) {
		stemmer ??= new Stemmer();
		const names = stemmer.stemAll(fresh);
		for (const [at, word] of fresh.entries()) known.stems.set(copied(word), stemNamed(names[at] ?? word));
	}
	return words.flatMap((word) => known.stems.get(word) ?? []);
}

function stemNamed(name: string): Stem {
	const found = known.byName.get(name);
	if (found) return found;
	const made = newStem(copied(name));
	known.byName.set(made.text, made);
	return made;
}

/** A piece of a long text would keep the whole text in memory. */
function copied(piece: string): string {
	return Buffer.from(piece).toString();
}

/**
 * The query as tsquery expressions, best first: for texts with the identifier itself, then with its words. Empty: the query has
 * no word.
 */
export function fleetQueries(text: string): readonly string[] {
	const terms = parseTerms(text);
	const wide = allOf(terms, false);
	const narrow = allOf(terms, true);
	if (wide === "") return [];
	return wide === narrow ? [wide] : [narrow, wide];
}

function allOf(terms: readonly QueryTerm[], onlyIdentifiers: boolean): string {
	return terms
		.map((term) => termQuery(term, onlyIdentifiers))
		.filter((query) => query !== "")
		.join(" & ");
}

function termQuery(term: QueryTerm, onlyIdentifiers: boolean): string {
	const whole = phrase(spread(term, { open: true }), endsInSingle(term));
	const parts = /^[\p{L}\p{N}]+$/u.test(term) ? identifierParts(term) : [];
	if (whole === "" || parts.length < 2) return whole;
	const split = phrase(spread(`${onlyIdentifiers ? `${WALL} ` : ""}${parts.join(" ")}`, { open: true }), false);
	return `(${whole} | ${split})`;
}

/** Words in a row. They are letters and digits only, so none is an operator. */
function phrase(words: string, isOpen: boolean): string {
	const list = stemAll(plainWords(words));
	if (list.length === 0) return "";
	const quoted = list.map(({ text }, at) => `'${text}'${isOpen && at === list.length - 1 ? ":*" : ""}`).join(" <-> ");
	return list.length === 1 ? quoted : `(${quoted})`;
}

function plainWords(text: string): string[] {
	return foldText(text)
		.split(NOT_WORD)
		.filter((word) => word !== "");
}
