/** Documents with some of many words, by FTS5's ranking, with their neighbours: candidates for a finer ranking. */
import { type Corpus, makeHit } from "./corpus.ts";
import { fromMatch, sqlFilter } from "./filter.ts";
import { markTerms, termPatterns } from "./term-marks.ts";
import type { Hit, SearchFilters } from "./types.ts";

const MAX_WORDS = 64;
const NEIGHBOURS = 2;
/** FTS5 ranks every match, so only the newest documents take part: a long log takes no longer. */
const MAX_DOCS = 20_000;

export interface AnyQuery extends SearchFilters {
	/** As the index has them: pairs of CJK characters, parts of identifiers. */
	readonly words: readonly string[];
	readonly limit: number;
}

export interface AnyDocument extends Hit {
	readonly text: string;
}

/** In the order of the log. */
export function findAny(corpus: Corpus, query: AnyQuery): readonly AnyDocument[] {
	const filter = sqlFilter(corpus.source, query);
	const words = query.words.slice(0, MAX_WORDS).map((word) => `"${word.replaceAll('"', " ")}"`);
	if (!filter || words.length === 0) return [];
	const found = corpus.rows<[number]>(
		`SELECT search_words.rowid FROM ${fromMatch("search_words", filter)} AND search_words.rowid > ? ORDER BY rank LIMIT ?`,
		`{body} : (${words.join(" OR ")})`,
		...filter.values,
		corpus.only("SELECT docs FROM search_state")[0] - MAX_DOCS,
		query.limit,
	);
	const ids = new Set(
		found.flatMap(([id]) => Array.from({ length: NEIGHBOURS * 2 + 1 }, (_, n) => id + n - NEIGHBOURS)),
	);
	const patterns = termPatterns(query.words.slice(0, MAX_WORDS));
	return [...ids]
		.sort((one, other) => one - other)
		.flatMap((id) => {
			const row = corpus.row("SELECT seq FROM search_doc WHERE id = ?", id);
			const document = row && corpus.document(row[0]);
			if (!document || document.doc.text === "") return [];
			const { text } = document.doc;
			return [{ ...makeHit(document, text, markTerms(text, patterns), 0), text }];
		});
}
