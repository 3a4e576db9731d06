/** Parses what a person typed. Only double quotes are operators, and no text throws. */
import { endsInSingle, identifierParts, spread, WALL } from "./words.ts";

const MAX_QUERY_CHARS = 4_000;
const MAX_TERMS = 64;
const TERM = /"([^"]*)"(?=\s|$)|\S+/g;
const TOKEN = /[\p{L}\p{N}]/u;

/** Words to find together in this order; mostly one word. */
export type QueryTerm = string;

export function parseTerms(text: string): readonly QueryTerm[] {
	const terms = new Set<QueryTerm>();
	for (const match of text.slice(0, MAX_QUERY_CHARS).replaceAll("\0", " ").matchAll(TERM)) {
		const term = (match[1] ?? match[0]).trim();
		if (term !== "") terms.add(term);
		if (terms.size === MAX_TERMS) break;
	}
	return [...terms];
}

/**
 * The terms as an FTS5 expression: all required, each quoted. Leaves out terms without a letter or digit; undefined: no term
 * has one, and the word index cannot answer.
 */
export function wordExpression(
	terms: readonly QueryTerm[],
	{ thinking, onlyIdentifiers = false }: { readonly thinking: boolean; readonly onlyIdentifiers?: boolean },
): string | undefined {
	const phrases = terms.map((term) => termExpression(term, onlyIdentifiers)).filter((phrase) => phrase !== undefined);
	if (phrases.length === 0) return undefined;
	const all = phrases.join(" AND ");
	return thinking ? all : `{body} : (${all})`;
}

/**
 * The same, best first, without duplicates: first documents with the identifier or one that begins with it, then those with its
 * words anywhere. `getUser` means `getUserById` more than "to get user data".
 */
export function rankedExpressions(
	terms: readonly QueryTerm[],
	options: { readonly thinking: boolean },
): readonly string[] {
	const all = wordExpression(terms, options);
	if (all === undefined) return [];
	const narrow = wordExpression(terms, { ...options, onlyIdentifiers: true });
	return narrow === undefined || narrow === all ? [all] : [narrow, `(${all}) NOT (${narrow})`];
}

function termExpression(term: QueryTerm, onlyIdentifiers: boolean): string | undefined {
	const words = spread(term, { open: true });
	if (!TOKEN.test(words)) return undefined;
	const whole = endsInSingle(term) ? `${quote(words)} *` : quote(words);
	const parts = /^[\p{L}\p{N}]+$/u.test(term) ? identifierParts(term) : [];
	if (parts.length < 2) return whole;
	const split = spread(parts.join(" "), { open: true });
	return `(${whole} OR ${quote(onlyIdentifiers ? `${WALL} ${split}` : split)})`;
}

function quote(words: string): string {
	return `"${words.replaceAll('"', " ")}"`;
}
