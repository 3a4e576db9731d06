/**
 * Full text and regular expression search over the log. The index is a projection with a checkpoint: an append does not touch
 * it, and every search first indexes the missing events. It holds no text: hits are read from the log. Without FTS5, or in a
 * read-only log without an index, texts are read one by one.
 */
import { isWriteRefused } from "../../base/sqlite/sqlite-error.ts";
import { refuseClosed } from "../database.ts";
import type { Searchable } from "../types.ts";
import { type AnyDocument, type AnyQuery, findAny } from "./any-words.ts";
import { indexedCandidates, scannedCandidates } from "./candidates.ts";
import { catchUp, type IndexOptions, type IndexProgress, indexedSeq } from "./catch-up.ts";
import type { SearchSource } from "./corpus.ts";
import { Corpus } from "./corpus.ts";
import { find } from "./find.ts";
import { compilePattern } from "./pattern.ts";
import { Clock, findRegex } from "./regex.ts";
import { hasCaseFlag, requiredLiterals } from "./required-literals.ts";
import { scan } from "./scan.ts";
import { createSearch, dropSearch, hasFullText, INDEX_FORMAT, indexFormat } from "./sql.ts";
import type { FindQuery, FindResult, RegexQuery, RegexResult } from "./types.ts";

const REGEX_DEADLINE_MS = 5_000;
/** Text indexed in one slice of a search that yields to the event loop. */
const SLICE_CHARS = 200_000;

export interface LogSearchOptions {
	readonly searchable: Searchable;
	/** False: search by scanning, as where SQLite has no FTS5. */
	readonly fullText: boolean;
	readonly readOnly: boolean;
}

export interface SearchStats {
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
