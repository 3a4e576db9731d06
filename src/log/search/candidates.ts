/** Documents that a pattern may match, newest first, in bounded steps. */
import type { Corpus } from "./corpus.ts";
import { countDocuments, type Filter, fromDocs, fromMatch, passes, passesFile, sqlFilter } from "./filter.ts";
import { gramExpression } from "./grams.ts";
import type { Clause } from "./required-literals.ts";
import type { SearchFilters } from "./types.ts";

const STEP_DOCS = 256;
const MAX_CLAUSES = 4;

export interface Candidates {
	/** How many documents there are before literals exclude any. */
	readonly total: number;
	/** Empty: there are no more. */
	next(): readonly number[];
	/** How many of `total` have this seq or a newer one. */
	countDownTo(seq: number): number;
}

/** By the index: skips documents without the grams of the literals. */
export function indexedCandidates(corpus: Corpus, filters: SearchFilters, clauses: readonly Clause[]): Candidates {
	const filter = sqlFilter(corpus.source, filters);
	if (!filter) return { total: 0, next: () => [], countDownTo: () => 0 };
	const grams = gramsOf(clauses);
	const from = grams ? fromMatch("search_grams", { ...filter, narrows: true }) : fromDocs(filter);
	const id = grams ? "search_grams.rowid" : "d.id";
	const sql = `SELECT d.id, d.seq FROM ${from} AND ${id} < ? ORDER BY ${id} DESC LIMIT ${STEP_DOCS}`;
	let below = Number.MAX_SAFE_INTEGER;
	return {
		total: countDocuments(corpus, filter),
		next() {
			const rows = corpus.rows<[number, number]>(sql, ...(grams ? [grams] : []), ...filter.values, below);
			below = rows.at(-1)?.[0] ?? 0;
			return rows.map(([, seq]) => seq);
		},
		countDownTo: (seq) => countDocuments(corpus, downTo(filter, seq)),
	};
}

/** Without an index: every event; those without a text count, too. */
export function scannedCandidates(corpus: Corpus, filters: SearchFilters): Candidates {
	const from = filters.afterSeq ?? 0;
	let below = Math.min(filters.beforeSeq ?? Number.MAX_SAFE_INTEGER, corpus.newestSeq() + 1);
	const top = below;
	const count = (low: number) => corpus.only("SELECT count(*) FROM event WHERE seq >= ? AND seq < ?", low, top)[0];
	return {
		total: count(from + 1),
		next() {
			while (below > from + 1) {
				const after = Math.max(from, below - STEP_DOCS - 1);
				const records = corpus.source.records({ after, limit: below - after - 1 });
				const upper = below;
				below = after + 1;
				const seqs: number[] = [];
				for (const record of records) {
					if (record.seq >= upper) break;
					const doc = corpus.searchable(record);
					if (doc && passes({ record, doc }, filters) && passesFile(corpus, record.seq, filters.file))
						seqs.push(record.seq);
				}
				if (seqs.length > 0) return seqs.reverse();
			}
			return [];
		},
		countDownTo: count,
	};
}

/** For clauses in which every literal has a gram; the longest few are enough. */
function gramsOf(clauses: readonly Clause[]): string | undefined {
	const expressions: { text: string; chars: number }[] = [];
	for (const clause of clauses) {
		const literals = clause.map((literal) => gramExpression(literal, { all: true }));
		if (literals.some((literal) => literal === undefined)) continue;
		const chars = Math.min(...clause.map((literal) => literal.length));
		expressions.push({ text: `(${literals.join(" OR ")})`, chars });
	}
	if (expressions.length === 0) return undefined;
	const longest = expressions.toSorted((a, b) => b.chars - a.chars).slice(0, MAX_CLAUSES);
	return longest.map(({ text }) => text).join(" AND ");
}

function downTo(filter: Filter, seq: number): Filter {
	return { ...filter, narrows: true, where: `${filter.where} AND d.seq >= ?`, values: [...filter.values, seq] };
}
