/**
 * The gram index finds parts of words: for each document the distinct triples of letters and digits that stand next
 * to each other in its words; of CJK characters, the pairs. Triples across blanks and punctuation would more than double
 * it. It never decides: a document that has all grams of a literal is read and compared.
 */
import { fold } from "./fold.ts";
import { IN_WORD, IS_CJK, kindsOf } from "./letters.ts";
import { distinctWords, LONG_TEXT_CHARS, WORD } from "./words.ts";

/** More cost more lists to walk than they spare texts to read, mostly. */
const FEW_GRAMS = 3;
/** The commonest pairs of letters in English and in code, commonest first. */
const COMMON_PAIRS =
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ct ec ol ut et el us no ot il lo tr rs ad em pe ns ss ho ge pr un wi wa ee ta la ly di sh ow mo fo ac iv ai";

/** Part of no word. */
const NONE = 255;
/** Latin letters without marks and digits, by their place in an alphabet of 36. */
const PLACES = new Uint8Array(128).fill(NONE);
const LETTERS = new Uint8Array(36);
for (let at = 0; at < 36; at++) {
	const char = at.toString(36);
	LETTERS[at] = char.charCodeAt(0);
	PLACES[char.charCodeAt(0)] = at;
	PLACES[char.toUpperCase().charCodeAt(0)] = at;
}
const PAIRS = 36 * 36;
const TRIPLES = 36 ** 3;
/** For each triple the document that had it last. */
const lastIn = new Uint32Array(TRIPLES);
let document = 0;
/** The triples of the document that is being read, each with a blank behind it. */
const found = Buffer.allocUnsafe(4 * TRIPLES);
let foundBytes = 0;

export interface DocumentTerms {
	/** The distinct grams of all its texts, parted by blanks. */
	readonly grams: string;
	/**
	 * Of each text those words that are more than small letters and digits after their first letter: only these have parts,
	 * or letters of other alphabets.
	 */
	readonly words: readonly ReadonlySet<string>[];
}

/** Reads the texts of a document letter by letter, without making words of them. Triples of plain letters, nearly all, need no set of texts. */
export function readDocument(texts: readonly string[]): DocumentTerms {
	document++;
	foundBytes = 0;
	const others = new Set<string>();
	const words = texts.map((text) => (text.length < LONG_TEXT_CHARS ? readText(text, others) : readLong(text, others)));
	const plain = found.toString("latin1", 0, Math.max(0, foundBytes - 1));
	const rest = [...others].join(" ");
	return { words, grams: plain === "" || rest === "" ? plain + rest : `${plain} ${rest}` };
}

function readLong(text: string, others: Set<string>): ReadonlySet<string> {
	const words = distinctWords(text);
	for (const word of words) addWord(word, others);
	return words;
}

function readText(text: string, others: Set<string>): ReadonlySet<string> {
	const words = new Set<string>();
	const units = unitsOf(text);
	let start = -1;
	let isPlain = true;
	let pair = 0;
	for (let at = 0; at < text.length; at++) {
		const code = units[at]!;
		if (code >= 128) {
			at = readOther(text, start < 0 ? at : start, words, others) - 1;
			start = -1;
			continue;
		}
		const place = PLACES[code]!;
		if (place === NONE) {
			if (start >= 0 && !isPlain) words.add(text.slice(start, at));
			start = -1;
			continue;
		}
		if (start < 0) {
			start = at;
			isPlain = true;
			pair = place;
			continue;
		}
		if (code >= 0x41 && code <= 0x5a) isPlain = false;
		const triple = pair * 36 + place;
		pair = triple % PAIRS;
		if (at - start >= 2 && lastIn[triple] !== document) addTriple(triple);
	}
	if (start >= 0 && !isPlain) words.add(text.slice(start));
	return words;
}

let room = new Uint16Array(0x10000);

/** The UTF-16 units of a text, until the next one is asked for: read from an array, they cost less than half. */
function unitsOf(text: string): Uint16Array {
	if (room.length < text.length) room = new Uint16Array(text.length);
	Buffer.from(room.buffer).write(text, "utf16le");
	return room;
}

/** Reads on from the first letter of a word, up to the end of what stands between blanks and marks of ASCII. */
function readOther(text: string, from: number, words: Set<string>, others: Set<string>): number {
	let start = -1;
	let at = from;
	const end = () => {
		const word = text.slice(start, at);
		start = -1;
		if (words.has(word)) return;
		words.add(word);
		addWord(word, others);
	};
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code < 128 && PLACES[code] === NONE) break;
		const point = code < 0xd800 || code > 0xdfff ? code : text.codePointAt(at)!;
		if ((kindsOf(point) & IN_WORD) === 0) {
			if (start >= 0) end();
		} else if (start < 0) start = at;
		at += point > 0xffff ? 2 : 1;
	}
	if (start >= 0) end();
	return at;
}

function addWord(word: string, others: Set<string>): void {
	eachGram(word, (gram) => {
		const triple = tripleOf(gram);
		if (triple === undefined) others.add(gram);
		else if (lastIn[triple] !== document) addTriple(triple);
	});
}

/** Undefined: it has letters beyond ASCII. */
function tripleOf(gram: string): number | undefined {
	if (gram.length < 3) return undefined;
	let triple = 0;
	for (let at = 0; at < 3; at++) {
		const code = gram.charCodeAt(at);
		if (code >= 128) return undefined;
		triple = triple * 36 + PLACES[code]!;
	}
	return triple;
}

function addTriple(triple: number): void {
	lastIn[triple] = document;
	found[foundBytes] = LETTERS[(triple / PAIRS) | 0]!;
	found[foundBytes + 1] = LETTERS[((triple / 36) | 0) % 36]!;
	found[foundBytes + 2] = LETTERS[triple % 36]!;
	found[foundBytes + 3] = 0x20;
	foundBytes += 4;
}

/**
 * An FTS5 expression that holds for every document with this literal in it, whatever its case; undefined: the literal
 * has no gram. Of many grams a few rare ones are enough, until they turn out not to be: then ask for `all`.
 */
export function gramExpression(literal: string, { all = false } = {}): string | undefined {
	const grams = new Set<string>();
	for (const word of fold(literal).match(WORD) ?? []) eachGram(word, (gram) => grams.add(gram));
	if (grams.size === 0) return undefined;
	const chosen = all ? [...grams] : [...grams].sort((a, b) => commonness(a) - commonness(b)).slice(0, FEW_GRAMS);
	return `(${chosen.map((gram) => `"${gram}"`).join(" AND ")})`;
}

/** Gives the grams of a word, folded: triples of letters, and pairs of CJK characters. They may repeat. */
function eachGram(word: string, take: (gram: string) => void): void {
	const folded = fold(word);
	let first = isCjkAt(folded, 0);
	let second = isCjkAt(folded, 1);
	for (let at = 0; at + 2 <= folded.length; at++) {
		const third = isCjkAt(folded, at + 2);
		if (first && second) take(folded.slice(at, at + 2));
		if (!(first && second && third) && at + 3 <= folded.length) take(folded.slice(at, at + 3));
		first = second;
		second = third;
	}
}

/** Both halves of a character of two units are what it is. */
function isCjkAt(text: string, at: number): boolean {
	if (at >= text.length) return false;
	const unit = text.charCodeAt(at);
	const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
	const point = isSecondHalf ? Math.max(unit, text.codePointAt(at - 1)!) : text.codePointAt(at)!;
	return (kindsOf(point) & IS_CJK) !== 0;
}

/** A guess: a gram of rare pairs of letters has the shorter list. */
function commonness(gram: string): number {
	return commonnessOfPair(gram.slice(0, 2)) + commonnessOfPair(gram.slice(1));
}

function commonnessOfPair(pair: string): number {
	const at = COMMON_PAIRS.indexOf(pair);
	return at < 0 ? 0 : COMMON_PAIRS.length - at;
}
