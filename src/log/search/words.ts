/**
 * What the word index is fed, for a document and for a query alike. SQLite's tokenizer knows words; this adds what it
 * does not: parts of identifiers, pairs of CJK characters (which are written without spaces), emoji.
 */
import { isAscii } from "./fold.ts";
import { IS_CJK, IS_EMOJI, kindsOf } from "./letters.ts";

/** Letters and digits that stand together. */
export const WORD = /[\p{L}\p{N}]+/gu;
/** What of a text may hold a word: quick to find, for most of it is a word. */
const MAYBE_WORD = /[0-9A-Za-z\u0080-\uffff]+/g;
/** The same, cut: a run of millions of letters would overflow the stack of the engine that matches. */
const PIECE_OF_WORD = /[\p{L}\p{N}]{1,10000}/gu;
export const LONG_TEXT_CHARS = 1_000_000;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
const HAS_CAPITAL = /\p{Lu}/u;
const MAX_IDENTIFIER_CHARS = 64;
/** Texts beyond this are found by their grams only: a phrase in the third megabyte is not worth the disk. */
const MAX_WORD_CHARS = 2_000_000;
/**
 * A letter that nobody writes, as a word before the parts of each identifier: a phrase must not reach from one into the
 * next, and a phrase that starts with it finds where an identifier begins.
 */
export const WALL = "ǁ";

/** The distinct words of a text, as they are written; of a word without end, pieces that overlap by two characters. */
export function distinctWords(text: string): ReadonlySet<string> {
	if (text.length < LONG_TEXT_CHARS) return distinctWordsOf(text);
	const words = new Set<string>();
	let end = 0;
	for (const { 0: piece, index } of text.matchAll(PIECE_OF_WORD)) {
		words.add(index === end && end > 0 ? text.slice(index - 2, index) + piece : piece);
		end = index + piece.length;
	}
	return words;
}

function distinctWordsOf(text: string): ReadonlySet<string> {
	const maybe = new Set(text.match(MAYBE_WORD));
	if (isAscii(text)) return maybe;
	const words = new Set<string>();
	for (const piece of maybe) {
		if (isAscii(piece)) words.add(piece);
		else for (const word of piece.match(WORD) ?? []) words.add(word);
	}
	return words;
}

/** A text for the word index: the text, then the parts of its identifiers. `words` are at least these. */
export function indexedText(text: string, words: ReadonlySet<string>): string {
	return Buffer.from(indexedBytes([text], [words])[0]!).toString();
}

/**
 * The same of all texts of a document, in UTF-8, until the next document is asked for. As a text, the one letter of WALL
 * would double the room that all the others take.
 */
export function indexedBytes(texts: readonly string[], words: readonly ReadonlySet<string>[]): readonly Uint8Array[] {
	let end = 0;
	const ends = texts.map((text, index) => {
		end = writeIndexed(text, words[index]!, end);
		return end;
	});
	return ends.map((last, index) => bytes.subarray(ends[index - 1] ?? 0, last));
}

function writeIndexed(text: string, words: ReadonlySet<string>, from: number): number {
	const whole = spread(text.slice(0, MAX_WORD_CHARS).replaceAll("\0", " "));
	makeRoom(from, 3 * whole.length);
	let end = from + bytes.write(whole, from);
	for (const word of words) {
		if (word.length > MAX_IDENTIFIER_CHARS) continue;
		makeRoom(end, MAX_PARTS_BYTES);
		end = writePlainParts(word, end) ?? writeOtherParts(word, end);
	}
	return end;
}

let bytes = Buffer.allocUnsafe(0x10000);
/** Of one identifier: the wall, its letters, and a blank before each of them at most. */
const MAX_PARTS_BYTES = 4 + 4 * MAX_IDENTIFIER_CHARS;
const WALL_BYTES = Buffer.from(` ${WALL}`);
const BLANK = 0x20;

function makeRoom(used: number, more: number): void {
	if (used + more <= bytes.length) return;
	const larger = Buffer.allocUnsafe(2 * (used + more));
	bytes.copy(larger, 0, 0, used);
	bytes = larger;
}

/** Where it ends; the same place: the word has no parts. Undefined: there are other letters. */
function writePlainParts(word: string, from: number): number | undefined {
	let end = from + WALL_BYTES.length;
	let parts = 1;
	bytes[end++] = BLANK;
	for (let at = 0; at < word.length; at++) {
		const code = word.charCodeAt(at);
		if (code >= 0x80) return undefined;
		if (startsPart(word, at, code)) {
			bytes[end++] = BLANK;
			parts++;
		}
		bytes[end++] = code;
	}
	if (parts === 1) return from;
	bytes.set(WALL_BYTES, from);
	return end;
}

function writeOtherParts(word: string, from: number): number {
	const parts = otherParts(word);
	return parts.length === 1 ? from : from + bytes.write(` ${WALL} ${parts.join(" ")}`, from);
}

/** `getUserById` → get User By Id, `HTTPServer` → HTTP Server; a plain word is its own only part. */
export function identifierParts(word: string): readonly string[] {
	return word.length > MAX_IDENTIFIER_CHARS ? [word] : (plainParts(word) ?? otherParts(word));
}

function otherParts(word: string): readonly string[] {
	return HAS_CAPITAL.test(word) ? word.split(HUMP) : [word];
}

/** The same as HUMP, letter by letter; undefined: there are other letters. */
function plainParts(word: string): readonly string[] | undefined {
	let start = 0;
	let parts: string[] | undefined;
	for (let at = 0; at < word.length; at++) {
		const code = word.charCodeAt(at);
		if (code >= 0x80) return undefined;
		if (!startsPart(word, at, code)) continue;
		parts ??= [];
		parts.push(word.slice(start, at));
		start = at;
	}
	if (!parts) return [word];
	parts.push(word.slice(start));
	return parts;
}

function startsPart(word: string, at: number, code: number): boolean {
	if (code < 0x41 || code > 0x5a || at === 0) return false;
	if (isSmall(word, at - 1) || isDigit(word, at - 1)) return true;
	return isCapital(word, at - 1) && isSmall(word, at + 1) && isSmall(word, at + 2);
}

function isCapital(word: string, at: number): boolean {
	const code = word.charCodeAt(at);
	return code >= 0x41 && code <= 0x5a;
}

function isDigit(word: string, at: number): boolean {
	const code = word.charCodeAt(at);
	return code >= 0x30 && code <= 0x39;
}

function isSmall(word: string, at: number): boolean {
	const code = word.charCodeAt(at);
	return code >= 0x61 && code <= 0x7a;
}

/**
 * CJK runs become their overlapping pairs and the last character alone, emoji become words. `open`: the text may go on
 * where it ends, as a query's may, so the pairs of its last run need not be the last ones.
 */
export function spread(text: string, { open = false } = {}): string {
	if (isAscii(text)) return text;
	let spread = "";
	/** Up to here it is in `spread`. */
	let done = 0;
	let run = -1;
	for (let at = 0; at < text.length; ) {
		const code = text.charCodeAt(at);
		const point = code < 0xd800 || code > 0xdfff ? code : text.codePointAt(at)!;
		const kinds = code < 128 ? 0 : kindsOf(point);
		const end = at + (point > 0xffff ? 2 : 1);
		if ((kinds & IS_CJK) !== 0) {
			if (run < 0) run = at;
		} else if (run >= 0) {
			spread += `${text.slice(done, run)} ${pairs(text.slice(run, at), false)} `;
			done = at;
			run = -1;
		}
		if ((kinds & IS_EMOJI) !== 0) {
			spread += `${text.slice(done, at)} emoji${point.toString(16)} `;
			done = end;
		}
		at = end;
	}
	if (run >= 0) return `${spread}${text.slice(done, run)} ${pairs(text.slice(run), open)} `;
	return spread + text.slice(done);
}

/** True when a text ends in a single CJK character, which in the index may be the first of any pair. */
export function endsInSingle(text: string): boolean {
	const [last, before] = [...text.slice(-4)].reverse();
	return last !== undefined && isCjk(last) && (before === undefined || !isCjk(before));
}

function isCjk(character: string): boolean {
	return (kindsOf(character.codePointAt(0)!) & IS_CJK) !== 0;
}

function pairs(run: string, open: boolean): string {
	const characters = [...run];
	const last = characters.at(-1)!;
	if (characters.length === 1) return last;
	const all = characters.slice(1).map((character, index) => characters[index]! + character);
	return open ? all.join(" ") : `${all.join(" ")} ${last}`;
}
