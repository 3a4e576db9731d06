/**
 * Cutting text: the one place. By UTF-16 units where only our own bounds count, by bytes where a model pays for them, by
 * columns where a terminal shows them. None of these cuts a character in two.
 */
import { createRequire } from "node:module";

/** Its rules for emoji take as long to load as fifty modules, and most texts have none. */
let wide: ((text: string) => number) | undefined;
let graphemes: Intl.Segmenter | undefined;

/** The first `max` UTF-16 units of a text, one fewer where that would cut a surrogate pair in two. */
export function cutStart(text: string, max: number): string {
	if (text.length <= max) return text;
	const end = Math.max(0, max);
	const splits = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end));
	return text.slice(0, splits ? end - 1 : end);
}

/** The last `max` UTF-16 units of a text, one fewer where that would cut a surrogate pair in two. */
export function cutEnd(text: string, max: number): string {
	if (max <= 0) return "";
	if (text.length <= max) return text;
	const start = text.length - max;
	const splits = isHigh(text.charCodeAt(start - 1)) && isLow(text.charCodeAt(start));
	return text.slice(splits ? start + 1 : start);
}

/** At most `max` UTF-16 units, the last an ellipsis where something was left out. */
export function cutWithEllipsis(text: string, max: number): string {
	return text.length <= max ? text : `${cutStart(text, max - 1)}…`;
}

/** At most `max` UTF-16 units: whole sentences or clauses if enough of them fit, else whole words and an ellipsis. */
export function cutAtSentence(text: string, max: number): string {
	if (text.length <= max) return text;
	const start = cutStart(text, max - 1);
	const ends = [...start.matchAll(/[.!?。！？](?=\s|$|\P{ASCII})|[;；](?=\s|$)/gu)];
	const end = (ends.at(-1)?.index ?? -1) + 1;
	if (end >= max * ENOUGH) return start.slice(0, end);
	const space = start.search(/\s\S*$/u);
	return `${start.slice(0, space >= max * ENOUGH ? space : start.length)}…`;
}

/** The least share of the room that a cut may leave filled. */
const ENOUGH = 0.4;

/** At most `columns` of a terminal wide, the last an ellipsis where something was left out. Never cuts a character. */
export function cutToWidth(text: string, columns: number): string {
	if (text.length <= columns && isPlain(text)) return text;
	if (isPlain(text)) return columns < 1 ? "" : `${text.slice(0, columns - 1)}…`;
	// No character takes more than two columns, but one may take many units: a family emoji has eleven.
	if (text.length <= columns * 16 && stringWidth(text) <= columns) return text;
	if (columns < 1) return "";
	graphemes ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
	let width = 0;
	let kept = "";
	for (const { segment } of graphemes.segment(text)) {
		width += stringWidth(segment);
		if (width > columns - 1) return `${kept}…`;
		kept += segment;
	}
	return kept;
}

/** How many columns of a terminal a line takes. */
export function textWidth(text: string): number {
	return isPlain(text) ? text.length : stringWidth(text);
}

function stringWidth(text: string): number {
	wide ??= (createRequire(import.meta.url)("string-width") as typeof import("string-width")).default;
	return wide(text);
}

/** Characters that always take one column: the letters of Europe, and the marks and lines that we write. */
function isPlain(text: string): boolean {
	return /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/.test(text);
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The start of a text in at most this many bytes of UTF-8, with an ellipsis where it was cut. */
export function cutToBytes(text: string, bytes: number): string {
	if (Buffer.byteLength(text) <= bytes) return text;
	const room = bytes - Buffer.byteLength("…");
	return room < 0 ? "" : `${firstBytes(text, room)}…`;
}

/** Of the bytes that are left for a text whose middle is cut out. */
const HEAD_SHARE = 0.7;

/** The start and the end of a text in at most this many bytes, with a mark between them that names the whole. */
export function cutMiddle(text: string, bytes: number, name: string): string {
	const whole = Buffer.from(text);
	if (whole.length <= bytes) return text;
	const mark = `\n[… cut; whole: ${name} …]\n`;
	const room = Math.max(0, Math.floor(bytes - Buffer.byteLength(mark)));
	const head = Math.ceil(room * HEAD_SHARE);
	let start = whole.length - (room - head);
	// Not in the middle of a character.
	while (start < whole.length && ((whole[start] ?? 0) & 0xc0) === 0x80) start++;
	return `${beforeWord(firstBytes(text, head))}${mark}${afterWord(whole.toString("utf8", start))}`;
}

/** Words longer than this are cut where they are, as paths and long lines of code. */
const MAX_WORD_CHARS = 24;

/** Without the part of a word at its end. */
function beforeWord(text: string): string {
	const at = text.search(/\s\S*$/);
	return at < 0 || text.length - at > MAX_WORD_CHARS ? text : text.slice(0, at);
}

/** Without the part of a word at its beginning. */
function afterWord(text: string): string {
	const at = text.search(/\s/);
	return at < 0 || at > MAX_WORD_CHARS ? text : text.slice(at + 1);
}

function firstBytes(text: string, bytes: number): string {
	let used = 0;
	let end = 0;
	for (const character of text) {
		used += Buffer.byteLength(character);
		if (used > bytes) break;
		end += character.length;
	}
	return text.slice(0, end);
}
