/**
 * Full text and regular expression search over the log. The index is a projection with a checkpoint: an append does not touch
 * it, and every search first indexes the missing events. It holds no text: hits are read from the log. Without FTS5, or in a
 * read-only log without an index, texts are read one by one.
 */
import { isWriteRefused } from "../../base/sqlite/sqlite-error.ts";
import { refuseClosed } from "../database.ts";
import type { Searchable } from "../types.ts";
import { indexedCandidates, scannedCandidates } from "./candidates.ts";
import { Corpus, makeHit, type SearchSource, type Snippet, searchedText } from "./corpus.ts";
import { type Filter, fromMatch, isWithin, sqlFilter } from "./filter.ts";
import { DEFAULT_DEADLINE_MS, DEFAULT_LIMIT, find } from "./find.ts";
import { readDocument } from "./indexed-document.ts";
import { foldText } from "./letters.ts";
import { compilePattern } from "./pattern.ts";
import { parseTerms, wordExpression } from "./query.ts";
import { Clock, findRegex } from "./regex.ts";
import { hasCaseFlag, requiredLiterals } from "./required-literals.ts";
import { createSearch, dropSearch, hasFullText, INDEX_FORMAT, indexFormat } from "./sql.ts";
import { markTerms, termPatterns } from "./term-marks.ts";
import type { FindQuery, FindResult, Hit, RegexQuery, RegexResult, SearchFilters } from "./types.ts";

const REGEX_DEADLINE_MS = 5_000;
/** Text indexed in one slice of a search that yields to the event loop. */
const SLICE_CHARS = 200_000;

interface LogSearchOptions {
	readonly searchable: Searchable;
	/** False: search by scanning, as where SQLite has no FTS5. */
	readonly fullText: boolean;
	readonly readOnly: boolean;
}

interface SearchStats {
	readonly docs: number;
	/** Events up to this seq are indexed. */
	readonly indexedSeq: number;
	/** How many events are not indexed. */
	readonly behind: number;
	readonly fullText: boolean;
}

export class Search {
	readonly #corpus: Corpus;
	readonly #options: LogSearchOptions;
	#hasIndex: boolean | undefined;

	constructor(source: SearchSource, options: LogSearchOptions) {
		this.#corpus = new Corpus(source, options.searchable);
		this.#options = options;
	}

	/** Indexes missing events in bounded transactions, until none is left or the deadline passes. */
	catchUp(options: IndexOptions = {}): IndexProgress {
		if (!this.#ready()) return { indexed: 0, left: 0 };
		if (this.#options.readOnly) return { indexed: 0, left: this.#behind() };
		return catchUp(this.#corpus, options);
	}

	/** Never throws for any text. */
	find(query: FindQuery): FindResult {
		if (!this.#ready()) return scan(this.#corpus, query);
		return find(this.#corpus, query, this.#tryCatchUp({}));
	}

	/** Documents with some of the words, and their neighbours; none without an index. */
	findAny(query: AnyQuery): readonly AnyDocument[] {
		if (!this.#ready()) return [];
		this.#tryCatchUp({});
		return findAny(this.#corpus, query);
	}

	/** In how many texts of the log each word is, for words as `findAny` takes them; none without an index. */
	countWords(words: readonly string[]): ReadonlyMap<string, number> {
		if (!this.#ready()) return new Map();
		return new Map(words.map((word) => [word, countWord(this.#corpus, quoteWord(word), 0)]));
	}

	/** The whole text of a hit. Undefined: the event was pruned since. */
	textOf(seq: number): string | undefined {
		return this.#corpus.document(seq)?.doc.text;
	}

	/** How many documents of each session hold all words of the text; none without an index. */
	countBySession(text: string, filters: SearchFilters = {}): ReadonlyMap<string, number> {
		if (!this.#ready()) return new Map();
		this.#tryCatchUp({});
		return countBySession(this.#corpus, text, filters);
	}

	/** Rejects with `bad-pattern` for a pattern that cannot run, and with the signal's reason when it aborts. */
	async findRegex(query: RegexQuery): Promise<RegexResult> {
		const folded = (query.ignoreCase ?? false) || hasCaseFlag(query.pattern);
		const pattern = await compilePattern(query.pattern, { ignoreCase: query.ignoreCase ?? false });
		const clauses = requiredLiterals(query.pattern, { ignoreCase: folded });
		const clock = new Clock(query.deadlineMs ?? REGEX_DEADLINE_MS, query.signal);
		const behind = await this.#catchUpInSlices(clock);
		const candidates = this.#ready()
			? indexedCandidates(this.#corpus, query, clauses)
			: scannedCandidates(this.#corpus, query);
		return findRegex(this.#corpus, query, { pattern, clauses, folded, candidates, clock, behind });
	}

	stats(): SearchStats {
		if (!this.#ready()) return { docs: 0, indexedSeq: 0, behind: this.#corpus.newestSeq(), fullText: false };
		const [seq, docs] = this.#corpus.only<[number, number]>("SELECT seq, docs FROM search_state");
		return { docs, indexedSeq: seq, behind: this.#behind(), fullText: true };
	}

	drop(): void {
		this.#hasIndex = undefined;
		this.#corpus.source.transaction(() => dropSearch(this.#corpus.source.db));
	}

	/** Builds the index again from the log. */
	rebuild(): IndexProgress {
		this.drop();
		return this.catchUp();
	}

	/** Problems of the index, in sentences. `rebuild` repairs all of them. */
	check(): string[] {
		if (!this.#ready()) return [];
		const problems: string[] = [];
		const [seq, docs] = this.#corpus.only<[number, number]>("SELECT seq, docs FROM search_state");
		const [count, newest] = this.#corpus.only<[number, number]>(
			"SELECT count(*), coalesce(max(seq), 0) FROM search_doc",
		);
		if (count !== docs || newest > seq || seq > this.#corpus.newestSeq()) {
			problems.push("The search index does not agree with the log. Run 'weft rebuild'.");
		}
		for (const table of ["search_words", "search_grams"]) {
			const rows = this.#corpus.rows<[string]>(`PRAGMA integrity_check(${table})`);
			if (rows[0]?.[0] === "ok") continue;
			problems.push(`The search index is damaged (${table}: ${rows[0]?.[0]}). Run 'weft rebuild'.`);
		}
		return problems;
	}

	/** Returns how many events are not indexed. If the index cannot be written now, the search uses what there is. */
	#tryCatchUp(options: IndexOptions): number {
		try {
			return this.catchUp(options).left;
		} catch (error) {
			if (isWriteRefused(error)) return this.#behind();
			throw error;
		}
	}

	async #catchUpInSlices(clock: Clock): Promise<number> {
		for (let behind = Number.POSITIVE_INFINITY; ; ) {
			const left = this.#tryCatchUp({ deadlineMs: 0, chars: SLICE_CHARS });
			if (left === 0 || left >= behind || clock.isOver()) return left;
			behind = left;
			await clock.pause();
		}
	}

	#behind(): number {
		return Math.max(0, this.#corpus.newestSeq() - indexedSeq(this.#corpus));
	}

	/** True: there is an index. Creates it if it is missing or of another format. */
	#ready(): boolean {
		refuseClosed(this.#corpus.source.db);
		this.#hasIndex ??= this.#open();
		return this.#hasIndex;
	}

	#open(): boolean {
		const { db, transaction } = this.#corpus.source;
		if (!this.#options.fullText || !hasFullText(db)) return false;
		if (indexFormat(db) === INDEX_FORMAT) return true;
		if (this.#options.readOnly) return false;
		// Another process may have created it just now: looks again under the lock.
		return transaction(() => {
			if (indexFormat(db) === INDEX_FORMAT) return true;
			dropSearch(db);
			return createSearch(db);
		});
	}
}

/** Searches without an index, because SQLite has no FTS5 or the log is read-only: reads and compares texts, newest first. */
function scan(corpus: Corpus, query: FindQuery): FindResult {
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

const MAX_WORDS = 64;
const NEIGHBOURS = 2;
/** Only the newest documents take part. */
const MAX_RANKED_DOCS = 20_000;

interface AnyQuery extends SearchFilters {
	/** As the index has them: pairs of CJK characters, parts of identifiers. */
	readonly words: readonly string[];
	readonly limit: number;
}

interface AnyDocument extends Omit<Hit, keyof Snippet | "score"> {
	readonly text: string;
}

/** FTS5 reads every document of every word to rank one: so many in all, and only the rarest word may have more. */
const MAX_RANKED_MATCHES = 4_000;

/** The rarest of the words, as FTS5 writes them, as far as ranking their documents stays cheap. The others say least. */
function rarestWords(corpus: Corpus, words: readonly string[], after: number): readonly string[] {
	const quoted = words.map(quoteWord);
	if (corpus.only("SELECT docs FROM search_state")[0] * quoted.length <= MAX_RANKED_MATCHES) return quoted;
	const counted = quoted.map((word) => ({ word, count: countWord(corpus, word, after) }));
	let left = MAX_RANKED_MATCHES;
	return counted
		.sort((one, other) => one.count - other.count)
		.flatMap(({ word, count }, nth) => {
			left -= count;
			return nth === 0 || left >= 0 ? [word] : [];
		});
}

function quoteWord(word: string): string {
	return `"${word.replaceAll('"', " ")}"`;
}

/** `MAX_RANKED_MATCHES` stands for all that are more. */
function countWord(corpus: Corpus, quoted: string, after: number): number {
	const [count] = corpus.only<[number]>(
		"SELECT count(*) FROM (SELECT 1 FROM search_words WHERE search_words MATCH ? AND rowid > ? LIMIT ?)",
		`{body} : ${quoted}`,
		after,
		MAX_RANKED_MATCHES,
	);
	return count;
}

/**
 * Documents with some of many words, by FTS5's ranking, with their neighbours: candidates for a finer ranking. In the
 * order of the log.
 */
function findAny(corpus: Corpus, query: AnyQuery): readonly AnyDocument[] {
	const filter = sqlFilter(corpus.source, query);
	const oldest = corpus.only("SELECT docs FROM search_state")[0] - MAX_RANKED_DOCS;
	const words = rarestWords(corpus, query.words.slice(0, MAX_WORDS), oldest);
	if (!filter || words.length === 0) return [];
	const found = corpus.rows<[number]>(
		`SELECT search_words.rowid FROM ${fromMatch("search_words", filter)} AND search_words.rowid > ? ORDER BY rank LIMIT ?`,
		`{body} : (${words.join(" OR ")})`,
		...filter.values,
		oldest,
		query.limit,
	);
	const ids = new Set(
		found.flatMap(([id]) => Array.from({ length: NEIGHBOURS * 2 + 1 }, (_, n) => id + n - NEIGHBOURS)),
	);
	return [...ids]
		.sort((one, other) => one - other)
		.flatMap((id) => {
			const row = corpus.row("SELECT seq FROM search_doc WHERE id = ?", id);
			const document = row && corpus.document(row[0]);
			if (!document || document.doc.text === "") return [];
			// A neighbour in the log may belong to a session that the asker must not read.
			if (!isWithin(query.within ?? "all", document.record.session)) return [];
			const { record, doc } = document;
			const { seq, id: own, session, ts } = record;
			return [{ seq, id: own, session, role: doc.role, tool: doc.tool, ts, text: doc.text }];
		});
}

function countBySession(corpus: Corpus, text: string, filters: SearchFilters): ReadonlyMap<string, number> {
	const filter = sqlFilter(corpus.source, filters);
	const words = wordExpression(parseTerms(text), { thinking: false });
	if (!filter || words === undefined) return new Map();
	const joined: Filter = { ...filter, narrows: true, event: "event e ON e.seq = d.seq" };
	const rows = corpus.rows<[session: number, documents: number]>(
		`SELECT e.session, count(*) FROM ${fromMatch("search_words", joined)} GROUP BY e.session`,
		words,
		...filter.values,
	);
	return new Map(rows.map(([session, documents]) => [corpus.source.word(session), documents]));
}

const STEP_RECORDS = 64;
const MAX_CATCH_UP_DOCS = 4_000;

interface IndexOptions {
	/** Ends after the transaction in which it passes; at least one runs. */
	readonly deadlineMs?: number | undefined;
	/** Bounds one transaction, in characters of text, and with it how long others wait for the lock. */
	readonly chars?: number | undefined;
}

interface IndexProgress {
	/** Documents added. */
	readonly indexed: number;
	/** Events not indexed yet. */
	readonly left: number;
}

/**
 * Indexes by checkpoint, in bounded transactions. Several processes may index at once: each reads the checkpoint under the
 * write lock and continues there.
 */
function catchUp(
	corpus: Corpus,
	{ deadlineMs = Number.POSITIVE_INFINITY, chars = 1_000_000 }: IndexOptions,
): IndexProgress {
	const end = performance.now() + deadlineMs;
	// Other processes may keep appending: the events up to now are enough.
	const head = corpus.newestSeq();
	let indexed = 0;
	let seq = indexedSeq(corpus);
	while (seq < head) {
		const step = corpus.source.transaction(() => indexSome(corpus, chars));
		indexed += step.docs;
		seq = step.seq;
		if (performance.now() > end) break;
	}
	return { indexed, left: Math.max(0, head - seq) };
}

function indexedSeq(corpus: Corpus): number {
	return corpus.only("SELECT seq FROM search_state")[0];
}

function indexSome(corpus: Corpus, maxChars: number): { docs: number; seq: number } {
	const { source } = corpus;
	const [start, before] = corpus.only<[number, number]>("SELECT seq, docs FROM search_state");
	const head = corpus.newestSeq();
	let seq = start;
	let docs = before;
	let chars = 0;
	while (seq < head && chars < maxChars && docs - before < MAX_CATCH_UP_DOCS) {
		const records = source.records({ after: seq, limit: STEP_RECORDS });
		for (const record of records) {
			seq = record.seq;
			const doc = corpus.searchable(record);
			if (!doc) continue;
			const thought = doc.thinking ?? "";
			const { grams, texts } = readDocument([doc.text, thought]);
			docs++;
			chars += doc.text.length + thought.length;
			corpus.run(
				"INSERT INTO search_doc VALUES (?, ?, ?, ?)",
				docs,
				seq,
				source.internWord(doc.role),
				doc.tool === undefined ? null : source.internWord(doc.tool),
			);
			corpus.run(
				"INSERT INTO search_words (rowid, body, thinking) VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT))",
				docs,
				...texts,
			);
			corpus.run("INSERT INTO search_grams (rowid, grams) VALUES (?, ?)", docs, grams);
			if (chars >= maxChars) break;
		}
		if (records.length < STEP_RECORDS && seq === (records.at(-1)?.seq ?? seq)) seq = head;
	}
	corpus.run("UPDATE search_state SET seq = ?, docs = ?", seq, docs);
	return { docs: docs - before, seq };
}
