/**
 * Searches by words, then by parts of words. The ranked word index answers first. Only if it has too few hits for the page are
 * documents searched that hold the terms inside other words: found by grams, then read and compared, newest first.
 */
import { type Corpus, type FoundDocument, makeHit, searchedText } from "./corpus.ts";
import { countDocuments, type Filter, fromDocs, fromMatch, sqlFilter } from "./filter.ts";
import { gramExpression } from "./grams.ts";
import { foldText } from "./letters.ts";
import { parseTerms, type QueryTerm, rankedExpressions, wordExpression } from "./query.ts";
import { markTerms, termPatterns } from "./term-marks.ts";
import type { FindQuery, FindResult, Hit } from "./types.ts";

export const DEFAULT_LIMIT = 20;
export const DEFAULT_DEADLINE_MS = 2_000;
const STEP_DOCS = 256;
const MANY_CANDIDATES = 32;

export function find(corpus: Corpus, query: FindQuery, behind: number): FindResult {
	const thinking = query.thinking ?? false;
	const limit = query.limit ?? DEFAULT_LIMIT;
	const offset = query.offset ?? 0;
	const terms = parseTerms(query.text);
	const filter = sqlFilter(corpus.source, query);
	const scanned = filter ? countDocuments(corpus, filter) : 0;
	if (!filter || terms.length === 0) return { hits: [], scanned, behind, complete: behind === 0 };

	const words = wordExpression(terms, { thinking });
	const order = query.order ?? "ranked";
	const expressions = words === undefined ? [] : order === "recent" ? [words] : rankedExpressions(terms, { thinking });
	const byWords: WordHits = (most, from) => wordHits(corpus, expressions, filter, order, most, from);
	const spelled = order === "recent" ? [] : terms.filter((term) => JOINED.test(term)).map(foldText);
	const ranked =
		spelled.length === 0
			? byWords(limit + 1, offset)
			: spelledFirst(corpus, byWords, (doc) => holdsAll(searchedText(doc, { thinking }), spelled), limit + 1, offset);
	const missing = limit + 1 - ranked.length;
	const parts: PartHits =
		missing === 0
			? { documents: [], complete: true }
			: partHits(corpus, {
					terms,
					words,
					filter,
					thinking,
					// The first page has all hits by words, so SQLite need not find them again.
					known: offset === 0 ? new Set(ranked.map(({ seq }) => seq)) : undefined,
					wanted: missing,
					skip: ranked.length > 0 ? 0 : offset - countWordHits(corpus, words, filter, offset),
					deadlineMs: query.deadlineMs,
				});

	const found = [...ranked, ...parts.documents.map((document) => ({ seq: document.record.seq, score: 0, document }))];
	return {
		hits: hitsOf(corpus, found.slice(0, limit), terms, thinking),
		scanned: parts.scanned ?? scanned,
		behind,
		complete: parts.complete && behind === 0,
		next: found.length > limit ? offset + limit : undefined,
	};
}

interface RankedDocument {
	readonly seq: number;
	readonly score: number;
	/** Set if it had to be read already. */
	readonly document?: FoundDocument | undefined;
}

type WordHits = (limit: number, offset: number) => readonly RankedDocument[];

/** `get_user`: the index has its words side by side, as in prose. */
const JOINED = /[\p{L}\p{N}]_+[\p{L}\p{N}]/u;
/** Hits that are reordered together. Windows are the same for every page. */
const WINDOW_HITS = 64;

/** Puts texts with the identifiers as spelled before those with only their words, window by window. */
function spelledFirst(
	corpus: Corpus,
	byWords: WordHits,
	isSpelled: (doc: FoundDocument["doc"]) => boolean,
	limit: number,
	offset: number,
): readonly RankedDocument[] {
	const start = offset - (offset % WINDOW_HITS);
	const end = Math.ceil((offset + limit) / WINDOW_HITS) * WINDOW_HITS;
	const hits = byWords(end - start, start).map((hit) => ({ ...hit, document: corpus.document(hit.seq) }));
	const ordered: RankedDocument[] = [];
	for (let at = 0; at < hits.length; at += WINDOW_HITS) {
		const { yes = [], no = [] } = Object.groupBy(hits.slice(at, at + WINDOW_HITS), ({ document }) =>
			document && isSpelled(document.doc) ? "yes" : "no",
		);
		ordered.push(...yes, ...no);
	}
	return ordered.slice(offset - start, offset - start + limit);
}

function holdsAll(text: string, literals: readonly string[]): boolean {
	const folded = foldText(text);
	return literals.every((literal) => folded.includes(literal));
}

function wordHits(
	corpus: Corpus,
	expressions: readonly string[],
	filter: Filter,
	order: "ranked" | "recent",
	limit: number,
	offset: number,
): readonly RankedDocument[] {
	const hits: RankedDocument[] = [];
	let skip = offset;
	for (const [index, words] of expressions.entries()) {
		const found = hitsOfExpression(corpus, words, filter, order, limit - hits.length, skip);
		hits.push(...found);
		if (hits.length === limit || index === expressions.length - 1) break;
		skip = found.length > 0 ? 0 : skip - countWordHits(corpus, words, filter, skip);
	}
	return hits;
}

/** Without filters only the full text table is read: a join would make SQLite sort what FTS5 has sorted. */
function hitsOfExpression(
	corpus: Corpus,
	words: string,
	filter: Filter,
	order: "ranked" | "recent",
	limit: number,
	offset: number,
): readonly RankedDocument[] {
	const rows = corpus.rows<[seq: number, rank: number]>(
		`SELECT (SELECT seq FROM search_doc WHERE id = search_words.rowid), rank FROM ${fromMatch("search_words", filter)}
		ORDER BY ${order === "ranked" ? "rank" : "search_words.rowid DESC"} LIMIT ? OFFSET ?`,
		words,
		...filter.values,
		limit,
		offset,
	);
	return rows.map(([seq, rank]) => ({ seq, score: -rank }));
}

/** Counts the hits by words, if any can be before the offset. */
function countWordHits(corpus: Corpus, words: string | undefined, filter: Filter, offset: number): number {
	if (words === undefined || offset === 0) return 0;
	const sql = `SELECT count(*) FROM ${fromMatch("search_words", filter)}`;
	return corpus.only(sql, words, ...filter.values)[0];
}

interface PartQuery {
	readonly terms: readonly QueryTerm[];
	/** Excludes the hits of the word index. */
	readonly words: string | undefined;
	readonly filter: Filter;
	readonly thinking: boolean;
	/** The hits by words, if they are known. */
	readonly known: ReadonlySet<number> | undefined;
	readonly wanted: number;
	readonly skip: number;
	readonly deadlineMs: number | undefined;
}

interface PartHits {
	readonly documents: readonly FoundDocument[];
	readonly complete: boolean;
	/** Set if texts were read one by one until the deadline. */
	readonly scanned?: number | undefined;
}

function partHits(corpus: Corpus, query: PartQuery): PartHits {
	const end = performance.now() + (query.deadlineMs ?? DEFAULT_DEADLINE_MS);
	const literals = query.terms.map(foldText);
	const byGrams = literals.some((literal) => gramExpression(literal) !== undefined);
	// A word too short for a gram is found as a word. Only terms without any letter are worth reading every text.
	if (!byGrams && query.words !== undefined) return { documents: [], complete: true };

	const documents: FoundDocument[] = [];
	let read = 0;
	let skip = query.skip;
	let all = false;
	for (let below = Number.MAX_SAFE_INTEGER; ; ) {
		const rows = byGrams
			? gramCandidates(corpus, query, literals, { all, below })
			: docCandidates(corpus, query, below);
		if (byGrams && !all && rows.length - (query.known?.size ?? 0) > MANY_CANDIDATES) {
			// Reading a text costs more than walking another list of grams.
			all = true;
			continue;
		}
		for (const [id, seq] of rows) {
			below = id;
			if (query.known?.has(seq)) continue;
			if (performance.now() > end) return { documents, complete: false, scanned: byGrams ? undefined : read };
			read++;
			const found = corpus.document(seq);
			if (!found) continue;
			if (!holdsAll(searchedText(found.doc, query), literals)) continue;
			if (skip-- > 0) continue;
			documents.push(found);
			if (documents.length === query.wanted) return { documents, complete: true };
		}
		if (rows.length < STEP_DOCS) return { documents, complete: true };
	}
}

type PartCandidate = readonly [id: number, seq: number];

function gramCandidates(
	corpus: Corpus,
	{ words, filter, known }: PartQuery,
	literals: readonly string[],
	{ all, below }: { readonly all: boolean; readonly below: number },
): readonly PartCandidate[] {
	const grams = literals
		.map((literal) => gramExpression(literal, { all }))
		.filter((expression) => expression !== undefined);
	const others = known || words === undefined ? [] : [words];
	const fresh =
		others.length === 0
			? ""
			: "AND search_grams.rowid NOT IN (SELECT rowid FROM search_words WHERE search_words MATCH ?)";
	return corpus.rows<PartCandidate>(
		`SELECT d.id, d.seq FROM ${fromMatch("search_grams", { ...filter, narrows: true })} ${fresh}
		AND search_grams.rowid < ? ORDER BY search_grams.rowid DESC LIMIT ${STEP_DOCS}`,
		grams.join(" AND "),
		...filter.values,
		...others,
		below,
	);
}

function docCandidates(corpus: Corpus, { filter }: PartQuery, below: number): readonly PartCandidate[] {
	return corpus.rows<PartCandidate>(
		`SELECT d.id, d.seq FROM ${fromDocs(filter)} AND d.id < ? ORDER BY d.id DESC LIMIT ${STEP_DOCS}`,
		...filter.values,
		below,
	);
}

/** Reads texts in the order of the log, where neighbours share packs, and returns them in the order of the hits. */
function hitsOf(
	corpus: Corpus,
	found: readonly RankedDocument[],
	terms: readonly QueryTerm[],
	thinking: boolean,
): readonly Hit[] {
	const patterns = termPatterns(terms);
	const hits = new Map<number, Hit>();
	for (const { seq, score, document = corpus.document(seq) } of found.toSorted((a, b) => a.seq - b.seq)) {
		if (!document) continue;
		const text = searchedText(document.doc, { thinking });
		hits.set(seq, makeHit(document, text, markTerms(text, patterns), score));
	}
	return found.map(({ seq }) => hits.get(seq)).filter((hit) => hit !== undefined);
}
