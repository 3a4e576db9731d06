const BEYOND_ASCII = /[\u0080-\uffff]/;
/** Latin letters with marks, and the two letters that are only another form of one. */
const VARIANT = /[\u00c0-\u024f\u1e00-\u1effςſ]/g;
const SURROGATES = /[\ud800-\udfff]/g;

/**
 * Folds case and accents so that texts can be compared. Every UTF-16 unit folds alone and to one unit: a range in the
 * folded text is the same range in the text, and a part of a text folds to a part of its folding.
 */
export function fold(text: string): string {
	if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
	const lower = text.replaceAll("İ", "i").toLowerCase().replace(VARIANT, plainLetter);
	// A letter of two units would fold only where both are there: the few that have cases stay as they are.
	return lower.replace(SURROGATES, (_, at: number) => text.charAt(at));
}

export function isAscii(text: string): boolean {
	return !BEYOND_ASCII.test(text);
}

function plainLetter(letter: string): string {
	if (letter === "ς") return "σ";
	return letter === "ſ" ? "s" : letter.normalize("NFD").charAt(0);
}
