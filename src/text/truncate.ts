import stringWidth from "string-width";

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

function isPlain(text: string): boolean {
	return /^[\x20-\x7e]*$/.test(text);
}

function isHigh(unit: number): boolean {
	return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
	return unit >= 0xdc00 && unit <= 0xdfff;
}
