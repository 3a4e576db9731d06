/**
 * What both indexes are fed of a document, read letter by letter in one pass: its distinct grams, and of each text the
 * text itself with the parts of its distinct identifiers after it. Nearly all words are plain letters and digits: of these
 * no texts are made.
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
	/** The distinct grams of all its texts, parted by blanks. */
	readonly grams: string;
	/** Of each text what the word index takes, in UTF-8. Only until the next document is read. */
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

function readText(text: string, others: Set<string>): void {
	const { length } = text;
	const otherWords = new Set<string>();
	const units = unitsOf(text);
	textNumber++;
	taken = 0;
	let start = -1;
	let isPlain = true;
	let before = 0;
	let last = 0;
	for (let at = 0; at < length; at++) {
		const code = units[at]!;
		if (code >= 128) {
			at = readOther(text, start < 0 ? at : start, otherWords, others) - 1;
			start = -1;
			continue;
		}
		const place = PLACES[code]!;
		if (place === NONE) {
			if (start >= 0 && !isPlain && isNew(units, start, at)) writePlainParts(units, start, at);
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
	if (start >= 0 && !isPlain && isNew(units, start, length)) writePlainParts(units, start, length);
}

/** Reads on from the first letter of a word, up to the end of what stands between blanks and marks of ASCII. */
function readOther(text: string, from: number, words: Set<string>, others: Set<string>): number {
	let start = -1;
	let at = from;
	let isAscii = true;
	const take = () => {
		if (isAscii ? isNew(room, start, at) : !words.has(text.slice(start, at))) {
			const word = text.slice(start, at);
			if (!isAscii) words.add(word);
			addGrams(word, others);
			writeParts(word);
		}
		start = -1;
	};
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code < 128 && PLACES[code] === NONE) break;
		const point = code < 0xd800 || code > 0xdfff ? code : text.codePointAt(at)!;
		if ((kindsOf(point) & IN_WORD) === 0) {
			if (start >= 0) take();
		} else {
			if (start < 0) {
				start = at;
				isAscii = true;
			}
			if (point >= 128) isAscii = false;
		}
		at += point > 0xffff ? 2 : 1;
	}
	if (start >= 0) take();
	return at;
}

/** The UTF-16 units of the text that is read: from an array they cost less than half. */
let room = new Uint16Array(0x10000);

function unitsOf(text: string): Uint16Array {
	if (room.length < text.length) room = new Uint16Array(text.length);
	Buffer.from(room.buffer).write(text, "utf16le");
	return room;
}

const PAIRS = 36 ** 2;
const TRIPLES = 36 ** 3;
/** 1: the document that is being read has this triple. A byte each, so that all of them stay near the processor. */
const has = new Uint8Array(TRIPLES);
/** The triples that it has, in order. */
const found = new Uint16Array(TRIPLES);
let foundCount = 0;
const spelt = Buffer.allocUnsafe(4 * TRIPLES);

/** The triples that were found, parted by blanks; then there are none. */
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
	has[triple] = 1;
	found[foundCount++] = triple;
}

/** The words of ASCII that were taken from a text: open addressing, emptied by the number of the next text. */
let slots = makeSlots(0x1000);
let textNumber = 0;
let taken = 0;

function makeSlots(length: number) {
	return { text: new Uint32Array(length), start: new Uint32Array(length), chars: new Uint32Array(length) };
}

/** False: the text has had this word before. */
function isNew(units: Uint16Array, from: number, to: number): boolean {
	const chars = to - from;
	let hash = chars;
	for (let at = from; at < to; at++) hash = Math.imul(hash ^ units[at]!, 0x9e3779b1);
	const { text, start } = slots;
	const last = text.length - 1;
	let slot = (hash ^ (hash >>> 15)) & last;
	while (text[slot] === textNumber) {
		if (slots.chars[slot] === chars && isSame(units, start[slot]!, from, chars)) return false;
		slot = (slot + 1) & last;
	}
	text[slot] = textNumber;
	start[slot] = from;
	slots.chars[slot] = chars;
	if (2 * ++taken > text.length) makeMoreSlots(units);
	return true;
}

function isSame(units: Uint16Array, one: number, other: number, chars: number): boolean {
	for (let at = 0; at < chars; at++) if (units[one + at] !== units[other + at]) return false;
	return true;
}

function makeMoreSlots(units: Uint16Array): void {
	const { text, start, chars } = slots;
	slots = makeSlots(2 * text.length);
	taken = 0;
	for (const [slot, number] of text.entries())
		if (number === textNumber) isNew(units, start[slot]!, start[slot]! + chars[slot]!);
}

/** What the word index takes of the texts that are being read. */
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

/** The same for a word of ASCII that is not a text yet. */
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
