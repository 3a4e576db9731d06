import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { all, one, only } from "../../base/sqlite/rows.ts";
import type { EventRecord } from "../event/types.ts";
import type { Searchable, SearchDoc } from "../types.ts";
import { snippetOf } from "./snippet.ts";
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
