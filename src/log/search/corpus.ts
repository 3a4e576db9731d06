import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { all, one, only } from "../../base/sqlite/rows.ts";
import type { EventRecord } from "../event/types.ts";
import type { Searchable, SearchDoc } from "../types.ts";
import type { Hit, TextRange } from "./types.ts";

/** The part of the log that search needs. */
export interface SearchSource {
	readonly db: DatabaseSync;
	transaction<T>(work: () => T): T;
	/** Events after a seq, oldest first. */
	records(query: { readonly after: number; readonly types?: readonly string[]; readonly limit: number }): EventRecord[];
	record(seq: number): EventRecord | undefined;
	/** The id of a name in the log's dictionary; undefined: it has none. */
	wordId(text: string): number | undefined;
	/** The same, created if missing. Only inside a transaction. */
	internWord(text: string): number;
	word(id: number): string;
}

export interface FoundDocument {
	readonly record: EventRecord;
	readonly doc: SearchDoc;
}

const MAX_STATEMENTS = 64;

/** The documents of a search: the log's records with their searchable text. */
export class Corpus {
	readonly source: SearchSource;
	readonly searchable: Searchable;
	readonly #statements = new Map<string, StatementSync>();

	constructor(source: SearchSource, searchable: Searchable) {
		this.source = source;
		// A malformed or lost event has no text that can be trusted.
		this.searchable = (record) => (record.wrong === undefined ? searchable(record) : undefined);
	}

	/** Undefined: the event was pruned, or has no text. */
	document(seq: number): FoundDocument | undefined {
		const record = this.source.record(seq);
		const doc = record && this.searchable(record);
		return doc && { record, doc };
	}

	newestSeq(): number {
		return this.row<[number | null]>("SELECT max(seq) FROM event")?.[0] ?? 0;
	}

	row<Row = readonly [number]>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
		return one<Row>(this.#statement(sql), ...values);
	}

	/** For a query that always gives a row. */
	only<Row = readonly [number]>(sql: string, ...values: readonly SQLInputValue[]): Row {
		return only<Row>(this.#statement(sql), ...values);
	}

	rows<Row>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
		return all<Row>(this.#statement(sql), ...values);
	}

	run(sql: string, ...values: readonly SQLInputValue[]): void {
		this.#statement(sql).run(...values);
	}

	/** Prepared once. Filters combine freely, so the number of statements is bounded. */
	#statement(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.source.db.prepare(sql);
			statement.setReturnArrays(true);
			if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}

/** The text of a document that a query searches. */
export function searchedText(doc: SearchDoc, { thinking }: { readonly thinking: boolean }): string {
	return thinking && doc.thinking ? `${doc.text}\n${doc.thinking}` : doc.text;
}

export function makeHit(
	{ record, doc }: FoundDocument,
	text: string,
	matches: readonly TextRange[],
	score: number,
): Hit {
	return {
		seq: record.seq,
		id: record.id,
		session: record.session,
		role: doc.role,
		tool: doc.tool,
		ts: record.ts,
		...snippetOf(text, matches),
		score,
	};
}

const SNIPPET_CHARS = 200;
const CONTEXT_CHARS = 64;
const CUT = "…";

export interface Snippet {
	readonly snippet: string;
	readonly ranges: readonly TextRange[];
}

/**
 * One line of a text around its first match; matches come in order. Shows control characters and line breaks as blanks, and
 * never cuts a surrogate pair.
 */
export function snippetOf(text: string, matches: readonly TextRange[]): Snippet {
	const first = matches[0]?.start ?? 0;
	const latestFrom = Math.max(0, text.length - SNIPPET_CHARS);
	const from = wordStart(text, Math.min(latestFrom, Math.max(0, first - CONTEXT_CHARS)), first);
	const to = wordEnd(text, Math.min(text.length, from + SNIPPET_CHARS), matches[0]?.end ?? from);
	const before = from > 0 ? CUT : "";
	const after = to < text.length ? CUT : "";
	const shift = before.length - from;
	const ranges: TextRange[] = [];
	for (const { start, end } of matches) {
		if (start >= from && start < to) ranges.push({ start: start + shift, end: Math.min(end, to) + shift });
	}
	const line = text
		.slice(from, to)
		.replace(/[\p{Cc}\u2028\u2029]/gu, " ")
		.toWellFormed();
	return { snippet: before + line + after, ranges };
}

/** How far a cut may move to keep a word whole. */
const MAX_MOVED_CHARS = 40;

/** The nearby start of a word, never inside a surrogate pair and never after the match. */
function wordStart(text: string, from: number, match: number): number {
	if (from === 0) return 0;
	const near = text.slice(from - 1, Math.min(match, from + MAX_MOVED_CHARS));
	const blank = near.search(/\s/);
	const edge = blank >= 0 ? blank : near.search(/[^\p{L}\p{N}_]/u);
	const start = edge < 0 ? from : from + edge;
	return isLow(text, start) && isHigh(text, start - 1) ? start - 1 : start;
}

/** The nearby end of a word, never inside a surrogate pair and never before the end of the match. */
function wordEnd(text: string, to: number, match: number): number {
	if (to >= text.length) return text.length;
	const least = Math.max(match, to - MAX_MOVED_CHARS);
	const near = least < to ? text.slice(least, to + 1) : "";
	const blank = /\s(?=\S*$)/.exec(near)?.index ?? -1;
	const edge = blank >= 0 ? blank : (/[^\p{L}\p{N}_](?=[\p{L}\p{N}_]*$)/u.exec(near)?.index ?? -1);
	const end = edge < 0 ? to : least + edge;
	return isLow(text, end) && isHigh(text, end - 1) ? end - 1 : end;
}

function isHigh(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLow(text: string, at: number): boolean {
	return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
