/** The content of the server's word index and queries for it, split into words as the local search does. */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import { each } from "../base/sqlite/rows.ts";
import { foldText, isAscii } from "../log/search/letters.ts";
import { parseTerms, type QueryTerm } from "../log/search/query.ts";
import { WORD_TOKENIZER } from "../log/search/sql.ts";
import { distinctWords, endsInSingle, identifierParts, spread, WALL } from "../log/search/words.ts";

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

/** Stems of words. SQLite makes them, so that a search over the fleet and a local one agree. */
class Stemmer {
	readonly #db = new DatabaseSync(":memory:");
	readonly #insert: StatementSync;
	readonly #stems: StatementSync;

	constructor() {
		this.#db.exec(`PRAGMA journal_mode = OFF;
			CREATE VIRTUAL TABLE word USING fts5 (text, content = '', columnsize = 0, tokenize = '${WORD_TOKENIZER}');
			CREATE VIRTUAL TABLE stem USING fts5vocab (word, instance)`);
		this.#insert = this.#db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)");
		this.#stems = this.#db.prepare("SELECT doc, term FROM stem");
		this.#stems.setReturnArrays(true);
	}

	/** The stem of each word, in order: many at once, for one alone costs as much as a hundred. */
	stemAll(words: readonly string[]): string[] {
		const stems = [...words];
		this.#db.exec("BEGIN");
		for (const [at, word] of words.entries()) this.#insert.run(at, word);
		this.#db.exec("COMMIT");
		for (const [at, stem] of each<[number, string]>(this.#stems)) stems[at] = stem;
		this.#db.exec("INSERT INTO word (word) VALUES ('delete-all')");
		return stems;
	}
}

/**
 * A text's stems with their positions, in the binary form that PostgreSQL's `tsvectorrecv` reads. The shipper makes them, because
 * a server that stems every word itself takes in half as much. Nothing is allocated per word: all texts share the stems.
 */
interface Stem {
	readonly text: string;
	/** UTF-8 with a zero at the end. */
	readonly bytes: Uint8Array;
	/** The last text that has it, and its positions there: first, last, count. */
	of: number;
	first: number;
	last: number;
	count: number;
}

/** A tsvector may have a megabyte, positions included. */
const MAX_VECTOR_BYTES = 500_000;
/** PostgreSQL keeps no more positions of a stem, and none above the last. */
const MAX_POSITIONS = 256;
const MAX_POSITION = 16_383;
const MAX_STEM_BYTES = 2_000;

let text = 0;
/** By position, the next position of the same stem. */
const next = new Uint16Array(MAX_POSITION + 1);

function newStem(text: string): Stem {
	return { text, bytes: Buffer.from(`${text}\0`), of: 0, first: 0, last: 0, count: 0 };
}

/** Groups of stems in a row, with a wall before each. */
function makeVector(groups: readonly (readonly Stem[])[], wall: Stem): Uint8Array {
	text++;
	const found: Stem[] = [];
	let [at, size] = [0, 4];
	const add = (each: Stem) => {
		if (size > MAX_VECTOR_BYTES || each.bytes.length > MAX_STEM_BYTES) return;
		if (at < MAX_POSITION) at++;
		if (each.of !== text) {
			each.of = text;
			each.first = at;
			each.last = at;
			each.count = 1;
			found.push(each);
			size += each.bytes.length + 4;
		} else if (each.count < MAX_POSITIONS && each.last !== at) {
			next[each.last] = at;
			each.last = at;
			each.count++;
			size += 2;
		}
	};
	for (const group of groups) {
		add(wall);
		for (const each of group) add(each);
	}
	return encode(found, size);
}

function encode(found: readonly Stem[], size: number): Uint8Array {
	const vector = Buffer.allocUnsafe(size);
	let at = vector.writeInt32BE(found.length, 0);
	for (const { bytes, first, count } of found) {
		for (const byte of bytes) vector[at++] = byte;
		vector[at++] = count >> 8;
		vector[at++] = count & 0xff;
		for (let nth = 0, place = first; nth < count; nth++) {
			vector[at++] = place >> 8;
			vector[at++] = place & 0xff;
			place = next[place] ?? 0;
		}
	}
	return vector;
}
