/**
 * The kinds of a character, from tables: every character of every text is looked up, and regular expressions would take most of
 * the time of indexing. Each table of 256 characters is made at its first use.
 */

/** A letter or a digit. */
export const IN_WORD = 1;
/** A letter or digit of a script without blanks, or with words too short for a triple. */
export const IS_CJK = 2;
export const IS_EMOJI = 4;

const WORD = /[\p{L}\p{N}]/u;
const CJK = /[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]]/v;
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}]/u;
const PAGE = 256;
const MAX_RARE = 4_096;

const pages: (Uint8Array | undefined)[] = new Array(256);
/** Characters of two UTF-16 units. */
const rare = new Map<number, number>();

/** The kinds as a sum of bits; 0 for half a surrogate pair. */
export function kindsOf(point: number): number {
	if (point > 0xffff) return rareKinds(point);
	const page = pages[point >> 8] ?? makePage(point >> 8);
	return page[point & 0xff] ?? 0;
}

function makePage(number: number): Uint8Array {
	const page = new Uint8Array(PAGE);
	for (let at = 0; at < PAGE; at++) page[at] = readKinds(number * PAGE + at);
	pages[number] = page;
	return page;
}

function rareKinds(point: number): number {
	const known = rare.get(point);
	if (known !== undefined) return known;
	const kinds = readKinds(point);
	if (rare.size >= MAX_RARE) rare.clear();
	rare.set(point, kinds);
	return kinds;
}

function readKinds(point: number): number {
	const character = String.fromCodePoint(point);
	const letter = WORD.test(character) ? IN_WORD : 0;
	if (letter !== 0 && CJK.test(character)) return IN_WORD | IS_CJK;
	return EMOJI.test(character) ? letter | IS_EMOJI : letter;
}

const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Latin letters with marks, and two letters that are another form of one. */
const VARIANT = /[\u00c0-\u024f\u1e00-\u1effςſ]/g;
const SURROGATES = /[\ud800-\udfff]/g;

/**
 * Folds case and accents so that texts can be compared. Every UTF-16 unit folds alone and to one unit, so a range in the folded
 * text is the same range in the text.
 */
export function foldText(text: string): string {
	if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
	const lower = text.replaceAll("İ", "i").toLowerCase().replace(VARIANT, plainLetter);
	// A letter of two units would fold only if both are present, so the few with cases stay unchanged.
	return lower.replace(SURROGATES, (_, at: number) => text.charAt(at));
}

export function isAscii(text: string): boolean {
	return !BEYOND_ASCII.test(text);
}

function plainLetter(letter: string): string {
	if (letter === "ς") return "σ";
	return letter === "ſ" ? "s" : letter.normalize("NFD").charAt(0);
}
