/** Stems of words. SQLite makes them, so that a search over the fleet and a local one agree. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { each } from "../base/sqlite/rows.ts";
import { WORD_TOKENIZER } from "../log/search/sql.ts";

export class Stemmer {
	readonly #db = new DatabaseSync(":memory:");
	readonly #insert: StatementSync;
	readonly #stems: StatementSync;

	constructor() {
		this.#db.exec(`PRAGMA journal_mode = OFF;
			CREATE VIRTUAL TABLE word USING fts5 (text, content = '', columnsize = 0, tokenize = '${WORD_TOKENIZER}');
			CREATE VIRTUAL TABLE stem USING fts5vocab (word, instance)`);
		this.#insert = this.#db.prepare("INSERT INTO word (rowid, text) VALUES (?, ?)");
		this.#stems = this.#db.prepare("SELECT doc, term FROM stem");
		this.#stems.setReturnArrays(true);
	}

	/** The stem of each word, in order: many at once, for one alone costs as much as a hundred. */
	stemAll(words: readonly string[]): string[] {
		const stems = [...words];
		this.#db.exec("BEGIN");
		for (const [at, word] of words.entries()) this.#insert.run(at, word);
		this.#db.exec("COMMIT");
		for (const [at, stem] of each<[number, string]>(this.#stems)) stems[at] = stem;
		this.#db.exec("INSERT INTO word (word) VALUES ('delete-all')");
		return stems;
	}
}
