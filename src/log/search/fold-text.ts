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
