/**
 * The gram index finds parts of words: for each document the distinct triples of letters and digits that stand next
 * to each other in its words; of CJK characters, the pairs. Triples across blanks and punctuation would more than double
 * it. It never decides: a document that has all grams of a literal is read and compared.
 */
import { fold, isAscii } from "./fold.ts";
import { CJK, distinctWords, LONG_TEXT_CHARS, WORD } from "./words.ts";

/** More cost more lists to walk than they spare texts to read, mostly. */
const FEW_GRAMS = 3;
/** The commonest pairs of letters in English and in code, commonest first. */
const COMMON_PAIRS =
	"th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ct ec ol ut et el us no ot il lo tr rs ad em pe ns ss ho ge pr un wi wa ee ta la ly di sh ow mo fo ac iv ai";

/** Part of no word. */
const NONE = 255;
/** Perhaps part of a word: beyond ASCII. */
const OTHER = 254;
/** Latin letters without marks and digits, by their place in an alphabet of 36. */
const PLACES = new Uint8Array(128).fill(NONE);
for (let at = 0; at < 36; at++) {
	const char = at.toString(36);
	PLACES[char.charCodeAt(0)] = at;
	PLACES[char.toUpperCase().charCodeAt(0)] = at;
}
/** For each triple the document that had it last. */
const lastIn = new Uint32Array(36 ** 3);
let documents = 0;

/** The grams of one document, each once. Triples of plain letters, nearly all, need no set of texts. */
export class DocumentGrams {
	readonly #found: string[] = [];
	readonly #document = ++documents;
	readonly #others = new Set<string>();

	/**
	 * Takes a text letter by letter, without making words of it. Returns those words that are more than small letters and
	 * digits after their first letter: only these have parts, or letters of other alphabets.
	 */
	read(text: string): ReadonlySet<string> {
		const words = new Set<string>();
		if (text.length >= LONG_TEXT_CHARS) {
			for (const word of distinctWords(text)) if (this.#addWord(word)) words.add(word);
			return words;
		}
		let start = -1;
		let isPlain = true;
		let pair = 0;
		for (let at = 0; at < text.length; at++) {
			const code = text.charCodeAt(at);
			const place = code < 128 ? PLACES[code]! : OTHER;
			if (place === NONE) {
				if (start >= 0 && !isPlain) this.#addRun(text.slice(start, at), words);
				start = -1;
				continue;
			}
			if (start < 0) {
				start = at;
				isPlain = place !== OTHER;
				pair = isPlain ? place : -1;
				continue;
			}
			if (place === OTHER || (code >= 0x41 && code <= 0x5a)) isPlain = false;
			if (place === OTHER || pair < 0) {
				pair = -1;
				continue;
			}
			const triple = pair * 36 + place;
			pair = triple % (36 * 36);
			if (at - start < 2 || lastIn[triple] === this.#document) continue;
			lastIn[triple] = this.#document;
			this.#found.push(textOf(triple));
		}
		if (start >= 0 && !isPlain) this.#addRun(text.slice(start), words);
		return words;
	}

	/** Parted by blanks. */
	text(): string {
		return this.#found.join(" ");
	}

	/** What stands between blanks and marks of ASCII: one word, or several with other marks between them. */
	#addRun(run: string, words: Set<string>): void {
		if (words.has(run)) return;
		for (const word of isAscii(run) ? [run] : (run.match(WORD) ?? [])) {
			if (!words.has(word) && this.#addWord(word)) words.add(word);
		}
	}

	/** False: it is only small letters and digits. */
	#addWord(word: string): boolean {
		if (this.#addPlain(word)) return /[A-Z]/.test(word);
		const others = new Set<string>();
		addGrams(fold(word), others);
		for (const gram of others) if (!this.#addPlain(gram)) this.#addOther(gram);
		return true;
	}

	/** False: the word has other letters too; of the triples before them each is a gram all the same. */
	#addPlain(word: string): boolean {
		let pair = 0;
		for (let at = 0; at < word.length; at++) {
			const code = word.charCodeAt(at);
			const place = code < 128 ? PLACES[code]! : OTHER;
			if (place >= OTHER) return false;
			const triple = pair * 36 + place;
			pair = triple % (36 * 36);
			if (at < 2 || lastIn[triple] === this.#document) continue;
			lastIn[triple] = this.#document;
			this.#found.push(textOf(triple));
		}
		return true;
	}

	#addOther(gram: string): void {
		if (this.#others.has(gram)) return;
		this.#others.add(gram);
		this.#found.push(gram);
	}
}

const texts = new Array<string | undefined>(36 ** 3);

function textOf(triple: number): string {
	const known = texts[triple];
	if (known !== undefined) return known;
	const text = triple.toString(36).padStart(3, "0");
	texts[triple] = text;
	return text;
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
	const cjk = new Uint8Array(folded.length + 2);
	for (const { 0: run, index } of folded.matchAll(CJK)) cjk.fill(1, index, index + run.length);
	for (let at = 0; at + 2 <= folded.length; at++) {
		const characters = cjk[at]! + cjk[at + 1]!;
		if (characters === 2) grams.add(folded.slice(at, at + 2));
		if (characters + cjk[at + 2]! < 3 && at + 3 <= folded.length) grams.add(folded.slice(at, at + 3));
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
