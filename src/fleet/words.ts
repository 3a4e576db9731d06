/** What the server's word index is fed, and asked: our own splitting, as the local search does it. */
import { fold, isAscii } from "../log/search/fold.ts";
import { parseTerms, type Term } from "../log/search/query.ts";
import { distinctWords, endsInSingle, identifierParts, spread, WALL } from "../log/search/words.ts";

/** A tsvector may hold a megabyte, positions among it. */
const MOST_BYTES = 300_000;
const MOST_CHARS = 300_000;
const NOT_ASCII_WORD = /[^0-9a-z]+/g;
const NOT_WORD = /[^\p{L}\p{N}]+/gu;

/** Words with blanks between them. Parts of identifiers come first: the server forgets the places of words far behind. */
export function fleetWords(text: string): string {
	const start = text.slice(0, MOST_CHARS).toWellFormed();
	let words = "";
	for (const word of distinctWords(start)) {
		const parts = identifierParts(word);
		if (parts.length > 1) words += `${WALL} ${plain(spread(parts.join(" ")))} `;
	}
	return cutBytes(`${words}${WALL} ${plain(spread(start))}`, MOST_BYTES);
}

/**
 * The query as expressions of `to_tsquery`, best first: what holds the identifier itself, then what holds its words. None:
 * there is no word to find.
 */
export function fleetQueries(text: string): readonly string[] {
	const terms = parseTerms(text);
	const wide = allOf(terms, false);
	const narrow = allOf(terms, true);
	if (wide === "") return [];
	return wide === narrow ? [wide] : [narrow, wide];
}

function allOf(terms: readonly Term[], onlyIdentifiers: boolean): string {
	return terms
		.map((term) => termQuery(term, onlyIdentifiers))
		.filter((query) => query !== "")
		.join(" & ");
}

function termQuery(term: Term, onlyIdentifiers: boolean): string {
	const whole = phrase(spread(term, { open: true }), endsInSingle(term));
	const parts = /^[\p{L}\p{N}]+$/u.test(term) ? identifierParts(term) : [];
	if (whole === "" || parts.length < 2) return whole;
	const split = phrase(spread(`${onlyIdentifiers ? `${WALL} ` : ""}${parts.join(" ")}`, { open: true }), false);
	return `(${whole} | ${split})`;
}

/** Words that follow each other. Letters and digits alone: nothing in them is an operator. */
function phrase(words: string, isOpen: boolean): string {
	const list = plain(words)
		.split(" ")
		.filter((word) => word !== "");
	if (list.length === 0) return "";
	const quoted = list.map((word, at) => `'${word}'${isOpen && at === list.length - 1 ? ":*" : ""}`);
	return quoted.length === 1 ? quoted[0]! : `(${quoted.join(" <-> ")})`;
}

function plain(text: string): string {
	if (isAscii(text)) return text.toLowerCase().replace(NOT_ASCII_WORD, " ").trim();
	return fold(text).replace(NOT_WORD, " ").trim();
}

function cutBytes(text: string, most: number): string {
	if (text.length * 3 <= most) return text;
	const bytes = Buffer.from(text);
	if (bytes.length <= most) return text;
	const cut = bytes.subarray(0, most).toString("utf8");
	return cut.slice(0, cut.lastIndexOf(" "));
}
