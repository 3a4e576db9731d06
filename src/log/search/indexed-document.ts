/**
 * The input of both indexes for a document, read letter by letter in one pass: its distinct grams, and each text followed by the
 * parts of its distinct identifiers. Nearly all words are plain letters and digits; no strings are made of them.
 */
import { eachGram } from "./grams.ts";
import { IN_WORD, kindsOf } from "./letters.ts";
import {
	distinctWords,
	identifierParts,
	joinParts,
	LONG_TEXT_CHARS,
	MAX_IDENTIFIER_CHARS,
	startsPart,
	textBeforeParts,
} from "./words.ts";

export interface IndexedDocument {
	/** The distinct grams of all its texts, separated by blanks. */
	readonly grams: string;
	/** The input of the word index for each text, in UTF-8. Valid until the next document is read. */
	readonly texts: readonly Uint8Array[];
}

export function readDocument(texts: readonly string[]): IndexedDocument {
	end = 0;
	const others = new Set<string>();
	const ends: number[] = [];
	for (const text of texts) {
		write(textBeforeParts(text));
		if (text.length < LONG_TEXT_CHARS) readText(text, others);
		else readLong(text, others);
		ends.push(end);
	}
	const plain = takeTriples();
	const rest = [...others].join(" ");
	return {
		grams: plain === "" || rest === "" ? plain + rest : `${plain} ${rest}`,
		texts: ends.map((last, index) => bytes.subarray(ends[index - 1] ?? 0, last)),
	};
}

function readLong(text: string, others: Set<string>): void {
	for (const word of distinctWords(text)) {
		addGrams(word, others);
		writeParts(word);
	}
}

/** The code is not part of a word. */
const NONE = 255;
/** Digits and plain Latin letters, by their place in an alphabet of 36. */
const PLACES = new Uint8Array(128).fill(NONE);
const LETTERS = new Uint8Array(36);
for (let at = 0; at < 36; at++) {
	const char = at.toString(36);
	LETTERS[at] = char.charCodeAt(0);
	PLACES[char.charCodeAt(0)] = at;
	PLACES[char.toUpperCase().charCodeAt(0)] = at;
}

function readText(text: string, others: Set<string>): void {
	const { length } = text;
	const seen = new Set<string>();
	const units = unitsOf(text);
	const takeIdentifier = (from: number, to: number) => {
		const word = text.slice(from, to);
		if (seen.has(word)) return;
		seen.add(word);
		writePlainParts(units, from, to);
	};
	let start = -1;
	let isPlain = true;
	let before = 0;
	let last = 0;
	for (let at = 0; at < length; at++) {
		const code = units[at]!;
		if (code >= 128) {
			at = readOther(text, start < 0 ? at : start, seen, others) - 1;
			start = -1;
			continue;
		}
		const place = PLACES[code]!;
		if (place === NONE) {
			if (start >= 0 && !isPlain) takeIdentifier(start, at);
			start = -1;
			continue;
		}
		if (start < 0) {
			start = at;
			isPlain = true;
			last = place;
			continue;
		}
		// Only a capital after the first letter makes parts.
		if (code >= 0x41 && code <= 0x5a) isPlain = false;
		const triple = before * PAIRS + last * 36 + place;
		before = last;
		last = place;
		if (at - start >= 2 && has[triple] === 0) addTriple(triple);
	}
	if (start >= 0 && !isPlain) takeIdentifier(start, length);
}

/** Reads a run with letters beyond ASCII, from the start of its word up to a blank or mark of ASCII. */
function readOther(text: string, from: number, seen: Set<string>, others: Set<string>): number {
	let start = -1;
	let at = from;
	const take = () => {
		const word = text.slice(start, at);
		start = -1;
		if (seen.has(word)) return;
		seen.add(word);
		addGrams(word, others);
		writeParts(word);
	};
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code < 128 && PLACES[code] === NONE) break;
		const point = code < 0xd800 || code > 0xdfff ? code : text.codePointAt(at)!;
		if ((kindsOf(point) & IN_WORD) === 0) {
			if (start >= 0) take();
		} else if (start < 0) start = at;
		at += point > 0xffff ? 2 : 1;
	}
	if (start >= 0) take();
	return at;
}

/** The UTF-16 units of the current text: reading them from an array takes less than half the time. */
let room = new Uint16Array(0x10000);

function unitsOf(text: string): Uint16Array {
	if (room.length < text.length) room = new Uint16Array(text.length);
	Buffer.from(room.buffer).write(text, "utf16le");
	return room;
}

const PAIRS = 36 ** 2;
const TRIPLES = 36 ** 3;
/** 1: the current document has this triple. One byte each, so that all fit into the processor's cache. */
const has = new Uint8Array(TRIPLES);
/** Its triples, in order. */
const found = new Uint16Array(TRIPLES);
let foundCount = 0;
const spelt = Buffer.allocUnsafe(4 * TRIPLES);

/** The triples of the document, separated by blanks; forgets them. */
function takeTriples(): string {
	let to = 0;
	for (let at = 0; at < foundCount; at++) {
		const triple = found[at]!;
		has[triple] = 0;
		spelt[to] = LETTERS[(triple / PAIRS) | 0]!;
		spelt[to + 1] = LETTERS[((triple / 36) | 0) % 36]!;
		spelt[to + 2] = LETTERS[triple % 36]!;
		spelt[to + 3] = BLANK;
		to += 4;
	}
	foundCount = 0;
	return spelt.toString("latin1", 0, Math.max(0, to - 1));
}

function addGrams(word: string, others: Set<string>): void {
	eachGram(word, (gram) => {
		const triple = tripleOf(gram);
		if (triple === undefined) others.add(gram);
		else if (has[triple] === 0) addTriple(triple);
	});
}

/** Undefined: the gram is not ASCII. */
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
	has[triple] = 1;
	found[foundCount++] = triple;
}

/** The input of the word index for the current document. */
let bytes = Buffer.allocUnsafe(0x10000);
let end = 0;
const BLANK = 0x20;
/** The wall, with a blank before it. */
const BEFORE_PARTS = Buffer.from(joinParts([]).trimEnd());
const MAX_PARTS_BYTES = BEFORE_PARTS.length + 2 * MAX_IDENTIFIER_CHARS;

function write(text: string): void {
	makeRoom(3 * text.length);
	end += bytes.write(text, end);
}

function writeParts(word: string): void {
	const parts = identifierParts(word);
	if (parts.length > 1) write(joinParts(parts));
}

/** The same for an ASCII word, without making strings of its parts. */
function writePlainParts(units: Uint16Array, from: number, to: number): void {
	if (to - from > MAX_IDENTIFIER_CHARS) return;
	makeRoom(MAX_PARTS_BYTES);
	let last = end + BEFORE_PARTS.length;
	let parts = 1;
	bytes[last++] = BLANK;
	for (let at = from; at < to; at++) {
		const code = units[at]!;
		if (
			at > from &&
			startsPart(units[at - 1]!, code, at + 1 < to ? units[at + 1]! : 0, at + 2 < to ? units[at + 2]! : 0)
		) {
			bytes[last++] = BLANK;
			parts++;
		}
		bytes[last++] = code;
	}
	if (parts === 1) return;
	bytes.set(BEFORE_PARTS, end);
	end = last;
}

function makeRoom(more: number): void {
	if (end + more <= bytes.length) return;
	const larger = Buffer.allocUnsafe(2 * (end + more));
	bytes.copy(larger, 0, 0, end);
	bytes = larger;
}
