/**
 * The tables of the search index: a projection that can be rebuilt from the log at any time. Both full text tables are
 * contentless: the texts are in the log.
 */
import type { DatabaseSync } from "node:sqlite";
import { one } from "../../base/sqlite/rows.ts";

/** Raise it when the tables or their input change: an index of another format is dropped and built again. */
export const INDEX_FORMAT = 3;

export const WORD_TOKENIZER = "porter unicode61 remove_diacritics 2";

/** False: SQLite has no FTS5, and nothing was created. */
export function createSearch(db: DatabaseSync): boolean {
	if (!hasFullText(db)) return false;
	db.exec(`
		CREATE TABLE search_state (
			id     INTEGER PRIMARY KEY CHECK (id = 1),
			format INTEGER NOT NULL,
			seq    INTEGER NOT NULL,    -- events up to this one are indexed
			docs   INTEGER NOT NULL     -- documents among them
		) STRICT;
		INSERT INTO search_state VALUES (1, ${INDEX_FORMAT}, 0, 0);

		-- Ids are dense, in the order of seq: they are the rowids of the full text tables.
		CREATE TABLE search_doc (
			id   INTEGER PRIMARY KEY,
			seq  INTEGER NOT NULL UNIQUE,
			role INTEGER NOT NULL,      -- word
			tool INTEGER                -- word
		) STRICT;

		CREATE VIRTUAL TABLE search_words USING fts5 (
			body, thinking, content = '', tokenize = '${WORD_TOKENIZER}'
		);
		CREATE VIRTUAL TABLE search_grams USING fts5 (
			grams, content = '', tokenize = 'ascii', detail = none, columnsize = 0
		);
		-- Each part that is not merged repeats the words of the others.
		INSERT INTO search_words (search_words, rank) VALUES ('automerge', 2);
		INSERT INTO search_grams (search_grams, rank) VALUES ('automerge', 2);
	`);
	return true;
}

export function dropSearch(db: DatabaseSync): void {
	for (const table of ["search_words", "search_grams", "search_doc", "search_state"]) {
		db.exec(`DROP TABLE IF EXISTS ${table}`);
	}
}

let isFullTextKnown: boolean | undefined;

/** A property of SQLite, so it is asked once for all files. */
export function hasFullText(db: DatabaseSync): boolean {
	isFullTextKnown ??= db.prepare("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'").get() !== undefined;
	return isFullTextKnown;
}

/** The format of the index in this file; undefined: there is none. */
export function indexFormat(db: DatabaseSync): number | undefined {
	const names = `'search_state', 'search_doc', 'search_words', 'search_grams'`;
	const found = one<{ n: number }>(db.prepare(`SELECT count(*) AS n FROM sqlite_schema WHERE name IN (${names})`));
	if (found?.n !== 4) return undefined;
	return one<{ format: number }>(db.prepare("SELECT format FROM search_state"))?.format;
}
