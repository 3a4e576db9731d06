/**
 * The input of the word index, for documents and queries alike. SQLite's tokenizer knows words; this adds parts of identifiers,
 * pairs of CJK characters (which are written without spaces) and emoji.
 */
import { IS_CJK, IS_EMOJI, isAscii, kindsOf } from "./letters.ts";

/** A run of letters and digits. */
export const WORD = /[\p{L}\p{N}]+/gu;
/** Runs that may hold a word: quick to find, because most of them are one. */
const MAYBE_WORD = /[0-9A-Za-z\u0080-\uffff]+/g;
/** WORD in pieces: a run of millions of letters would overflow the stack of the regex engine. */
const PIECE_OF_WORD = /[\p{L}\p{N}]{1,10000}/gu;
export const LONG_TEXT_CHARS = 1_000_000;
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
const HAS_CAPITAL = /\p{Lu}/u;
export const MAX_IDENTIFIER_CHARS = 64;
/** Text beyond this is found by its grams only: a phrase in the third megabyte is not worth the disk space. */
const MAX_WORD_CHARS = 2_000_000;
/**
 * A letter that no text uses, as a word before the parts of each identifier: a phrase cannot reach from one identifier into the
 * next, and a phrase that starts with it finds the start of an identifier.
 */
export const WALL = "ǁ";

/** The distinct words of a text as written; of an endless word, pieces that overlap by two characters. */
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

/** A text for the word index: the text, then the parts of its identifiers. */
export function indexedText(text: string): string {
	let indexed = textBeforeParts(text);
	for (const word of distinctWords(text)) {
		const parts = identifierParts(word);
		if (parts.length > 1) indexed += joinParts(parts);
	}
	return indexed;
}

export function textBeforeParts(text: string): string {
	return spread(text.slice(0, MAX_WORD_CHARS).replaceAll("\0", " "));
}

export function joinParts(parts: readonly string[]): string {
	return ` ${WALL} ${parts.join(" ")}`;
}

/** `getUserById` → get User By Id, `HTTPServer` → HTTP Server; a plain word is its own only part. */
export function identifierParts(word: string): readonly string[] {
	return word.length > MAX_IDENTIFIER_CHARS ? [word] : (plainParts(word) ?? otherParts(word));
}

function otherParts(word: string): readonly string[] {
	return HAS_CAPITAL.test(word) ? word.split(HUMP) : [word];
}

const BEGINS_PART = new RegExp(`(?<![\\p{L}\\p{N}])|${HUMP.source}`, "uy");

/** True: a word begins there, or a part of an identifier. */
export function beginsPart(text: string, at: number): boolean {
	BEGINS_PART.lastIndex = at;
	return BEGINS_PART.test(text);
}

/** The same as HUMP, letter by letter; undefined: the word is not ASCII. */
function plainParts(word: string): readonly string[] | undefined {
	let start = 0;
	let parts: string[] | undefined;
	for (let at = 0; at < word.length; at++) {
		const code = word.charCodeAt(at);
		if (code >= 0x80) return undefined;
		if (at === 0 || !startsPart(word.charCodeAt(at - 1), code, word.charCodeAt(at + 1), word.charCodeAt(at + 2)))
			continue;
		parts ??= [];
		parts.push(word.slice(start, at));
		start = at;
	}
	if (!parts) return [word];
	parts.push(word.slice(start));
	return parts;
}

/** For ASCII codes, given the one before and the two after it. */
export function startsPart(before: number, code: number, next: number, afterNext: number): boolean {
	if (!isCapital(code)) return false;
	if (isSmall(before) || isDigit(before)) return true;
	return isCapital(before) && isSmall(next) && isSmall(afterNext);
}

function isCapital(code: number): boolean {
	return code >= 0x41 && code <= 0x5a;
}

function isDigit(code: number): boolean {
	return code >= 0x30 && code <= 0x39;
}

function isSmall(code: number): boolean {
	return code >= 0x61 && code <= 0x7a;
}

/**
 * Turns CJK runs into overlapping pairs and their last character, and emoji into words. `open`: the text may continue after its
 * end, as a query may, so its last run gets no last character.
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

/** True: the text ends in a single CJK character, which in the index may begin any pair. */
export function endsInSingle(text: string): boolean {
	const [last, before] = [...text.slice(-4)].reverse();
	return last !== undefined && isCjk(last) && (before === undefined || !isCjk(before));
}

function isCjk(character: string): boolean {
	return (kindsOf(character.codePointAt(0)!) & IS_CJK) !== 0;
}

function pairs(run: string, open: boolean): string {
	const characters = [...run];
	const last = characters.at(-1) ?? "";
	if (characters.length === 1) return last;
	const all = characters.slice(1).map((character, index) => `${characters[index]}${character}`);
	return open ? all.join(" ") : `${all.join(" ")} ${last}`;
}
