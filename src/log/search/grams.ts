/**
 * The gram index finds parts of words: for each document the distinct triples of letters and digits that stand next
 * to each other in its words, and the pairs in CJK runs. Triples across blanks and punctuation would more than double
 * it. It never decides: a document that has all grams of a literal is read and compared.
 */
import { fold, isAscii } from "./fold.ts";

const RUN =
	/(?<cjk>[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]]+)|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]+/gv;
const WORD = /[\p{L}\p{N}]+/gu;
/** More cost more lists to walk than they spare texts to read, mostly. */
const FEW_GRAMS = 4;
/** The commonest pairs of letters in English and in code, commonest first. */
const COMMON_PAIRS =
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur";

/** The grams of a document, parted by blanks. */
export function gramText(words: Iterable<string>): string {
	const grams = new Set<string>();
	for (const word of words) addGrams(fold(word), grams);
	return [...grams].join(" ");
}

/**
 * An FTS5 expression that holds for every document with this literal in it, whatever its case; undefined: the literal
 * has no gram. Of many grams a few rare ones are enough, until they turn out not to be: then ask for `all`.
 */
export function gramExpression(literal: string, { all = false } = {}): string | undefined {
	const grams = new Set<string>();
	for (const word of fold(literal).match(WORD) ?? []) addGrams(word, grams);
	if (grams.size === 0) return undefined;
	const chosen = all ? [...grams] : [...grams].sort((a, b) => commonness(a) - commonness(b)).slice(0, FEW_GRAMS);
	return `(${chosen.map((gram) => `"${gram}"`).join(" AND ")})`;
}

function addGrams(folded: string, grams: Set<string>): void {
	if (isAscii(folded)) {
		for (let at = 0; at + 3 <= folded.length; at++) grams.add(folded.slice(at, at + 3));
		return;
	}
	for (const match of folded.matchAll(RUN)) {
		const size = match.groups?.["cjk"] === undefined ? 3 : 2;
		for (let at = 0; at + size <= match[0].length; at++) grams.add(match[0].slice(at, at + size));
	}
}

/** A guess: a gram of rare pairs of letters has the shorter list. */
function commonness(gram: string): number {
	return commonnessOfPair(gram.slice(0, 2)) + commonnessOfPair(gram.slice(1));
}

function commonnessOfPair(pair: string): number {
	const at = COMMON_PAIRS.indexOf(pair);
	return at < 0 ? 0 : COMMON_PAIRS.length - at;
}
