/** Searches without an index, because SQLite has no FTS5 or the log is read-only: reads and compares texts, newest first. */
import { scannedCandidates } from "./candidates.ts";
import { type Corpus, makeHit, searchedText } from "./corpus.ts";
import { DEFAULT_DEADLINE_MS, DEFAULT_LIMIT } from "./find.ts";
import { foldText } from "./fold-text.ts";
import { parseTerms } from "./query.ts";
import { markTerms, termPatterns } from "./term-marks.ts";
import type { FindQuery, FindResult, Hit } from "./types.ts";

export function scan(corpus: Corpus, query: FindQuery): FindResult {
	const end = performance.now() + (query.deadlineMs ?? DEFAULT_DEADLINE_MS);
	const limit = query.limit ?? DEFAULT_LIMIT;
	const offset = query.offset ?? 0;
	const terms = parseTerms(query.text);
	const literals = terms.map(foldText);
	const patterns = termPatterns(terms);
	const candidates = scannedCandidates(corpus, query);
	const hits: Hit[] = [];
	let scanned = 0;
	let passed = 0;
	const result = (complete: boolean): FindResult => ({ hits, scanned, behind: 0, complete });
	for (let seqs = candidates.next(); seqs.length > 0; seqs = candidates.next()) {
		for (const seq of seqs) {
			if (scanned > 0 && performance.now() > end) return result(false);
			scanned++;
			const found = corpus.document(seq);
			if (!found || literals.length === 0) continue;
			const text = searchedText(found.doc, { thinking: query.thinking ?? false });
			const folded = foldText(text);
			if (!literals.every((literal) => folded.includes(literal)) || passed++ < offset) continue;
			if (hits.length === limit) return { ...result(true), next: offset + limit };
			hits.push(makeHit(found, text, markTerms(text, patterns), 0));
		}
	}
	return result(true);
}
