/**
 * The gram index finds parts of words: for each document the distinct triples of letters and digits that stand next
 * to each other in its words; of CJK characters, the pairs. Triples across blanks and punctuation would more than double
 * it. It never decides: a document that has all grams of a literal is read and compared.
 */
import { fold } from "./fold-text.ts";
import { IS_CJK, kindsOf } from "./letters.ts";
import { WORD } from "./words.ts";

/** More cost more lists to walk than they spare texts to read, mostly. */
const FEW_GRAMS = 3;
/** The commonest pairs of letters in English and in code, commonest first. */
const COMMON_PAIRS =
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ct ec ol ut et el us no ot il lo tr rs ad em pe ns ss ho ge pr un wi wa ee ta la ly di sh ow mo fo ac iv ai";

/**
 * An FTS5 expression that holds for every document with this literal in it, whatever its case; undefined: the literal
 * has no gram. Of many grams a few rare ones are enough, until they turn out not to be: then ask for `all`.
 */
export function gramExpression(literal: string, { all = false } = {}): string | undefined {
	const grams = new Set<string>();
	for (const word of fold(literal).match(WORD) ?? []) eachGram(word, (gram) => grams.add(gram));
	if (grams.size === 0) return undefined;
	const chosen = all ? [...grams] : [...grams].sort((a, b) => commonness(a) - commonness(b)).slice(0, FEW_GRAMS);
	return `(${chosen.map((gram) => `"${gram}"`).join(" AND ")})`;
}

/** Gives the grams of a word, folded: triples of letters, and pairs of CJK characters. They may repeat. */
export function eachGram(word: string, take: (gram: string) => void): void {
	const folded = fold(word);
	let first = isCjkAt(folded, 0);
	let second = isCjkAt(folded, 1);
	for (let at = 0; at + 2 <= folded.length; at++) {
		const third = isCjkAt(folded, at + 2);
		if (first && second) take(folded.slice(at, at + 2));
		if (!(first && second && third) && at + 3 <= folded.length) take(folded.slice(at, at + 3));
		first = second;
		second = third;
	}
}

/** Both halves of a character of two units are what it is. */
function isCjkAt(text: string, at: number): boolean {
	if (at >= text.length) return false;
	const unit = text.charCodeAt(at);
	const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
	const point = isSecondHalf ? Math.max(unit, text.codePointAt(at - 1)!) : text.codePointAt(at)!;
	return (kindsOf(point) & IS_CJK) !== 0;
}

/** A guess: a gram of rare pairs of letters has the shorter list. */
function commonness(gram: string): number {
	return commonnessOfPair(gram.slice(0, 2)) + commonnessOfPair(gram.slice(1));
}

function commonnessOfPair(pair: string): number {
	const at = COMMON_PAIRS.indexOf(pair);
	return at < 0 ? 0 : COMMON_PAIRS.length - at;
}
