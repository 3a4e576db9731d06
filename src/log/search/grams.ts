/**
 * The gram index finds parts of words. It holds each document's distinct triples of neighbouring letters and digits, and pairs
 * of CJK characters. Triples across blanks and punctuation would more than double it. It only selects: a document with all
 * grams of a literal is still read and compared.
 */
import { foldText, IS_CJK, kindsOf } from "./letters.ts";
import { WORD } from "./words.ts";

/** More grams mostly cost more lists to walk than they save texts to read. */
const FEW_GRAMS = 3;
/** The most common pairs of letters in English and code, most common first. */
const COMMON_PAIRS =
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ct ec ol ut et el us no ot il lo tr rs ad em pe ns ss ho ge pr un wi wa ee ta la ly di sh ow mo fo ac iv ai";

/**
 * An FTS5 expression that matches every document with this literal, in any case; undefined: the literal has no gram. By
 * default a few rare grams; `all` for when those match too many documents.
 */
export function gramExpression(literal: string, { all = false } = {}): string | undefined {
	const grams = new Set<string>();
	for (const word of foldText(literal).match(WORD) ?? []) eachGram(word, (gram) => grams.add(gram));
	if (grams.size === 0) return undefined;
	const chosen = all ? [...grams] : [...grams].sort((a, b) => commonness(a) - commonness(b)).slice(0, FEW_GRAMS);
	return `(${chosen.map((gram) => `"${gram}"`).join(" AND ")})`;
}

/** Passes the folded grams of a word to `take`: triples of letters and pairs of CJK characters. They may repeat. */
export function eachGram(word: string, take: (gram: string) => void): void {
	const folded = foldText(word);
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

/** Either half of a surrogate pair counts as its character. */
function isCjkAt(text: string, at: number): boolean {
	if (at >= text.length) return false;
	const unit = text.charCodeAt(at);
	const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
	const point = isSecondHalf ? Math.max(unit, text.codePointAt(at - 1)!) : text.codePointAt(at)!;
	return (kindsOf(point) & IS_CJK) !== 0;
}

/** A guess: a gram of rare pairs has the shorter list. */
function commonness(gram: string): number {
	return commonnessOfPair(gram.slice(0, 2)) + commonnessOfPair(gram.slice(1));
}

function commonnessOfPair(pair: string): number {
	const at = COMMON_PAIRS.indexOf(pair);
	return at < 0 ? 0 : COMMON_PAIRS.length - at;
}
