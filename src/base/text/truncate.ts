import { createRequire } from "node:module";

/** Its rules for emoji take as long to load as fifty modules, and most texts have none. */
let wide: ((text: string) => number) | undefined;
let graphemes: Intl.Segmenter | undefined;

/** The first `max` UTF-16 units of a text, one fewer where that would cut a surrogate pair in two. */
export function sliceUnits(text: string, max: number): string {
	if (text.length <= max) return text;
	const end = Math.max(0, max);
	const splits = isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end));
	return text.slice(0, splits ? end - 1 : end);
}

/** At most `max` UTF-16 units, the last an ellipsis where something was left out. */
export function truncateUnits(text: string, max: number): string {
	return text.length <= max ? text : `${sliceUnits(text, max - 1)}…`;
}

/** At most `columns` of a terminal wide, the last an ellipsis where something was left out. Never cuts a character. */
export function truncateWidth(text: string, columns: number): string {
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

/** Each of these takes one column, whatever stands beside it: letters of Europe, and the marks and lines that we write. */
function isPlain(text: string): boolean {
	return /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2713\u2717]*$/.test(text);
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
