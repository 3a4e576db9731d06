/**
 * An FTS5 index of the items: which of them have a word, by its stem. It stores no content, positions or sizes: the ranking
 * needs only lists of rows, which is several times cheaper than FTS5's own ranking.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { all } from "../../../base/sqlite/rows.ts";
import { indexedItem, termsOf } from "./terms.ts";

/**
 * An item that recall can bring back: a bullet or section of a memory file, or a past message. The owner of a text makes the items;
 * recall ranks them and knows no file format.
 */

/** Where an item comes from, the most trusted for current work first. */
export type RecallSource = "session" | "memory" | "workspace" | "history";

/** The subject of an item, if its owner knows. Decides which source is right in a conflict. */
export type RecallKind =
	| "state"
	| "next"
	| "intent"
	| "file"
	| "decision"
	| "constraint"
	| "error"
	| "preference"
	| "fact"
	| "work"
	| "message";

export interface RecallItem {
	/** A stable id: the bullet's id or a handle. `weft memory why ID` accepts it. */
	readonly id: string;
	readonly text: string;
	/** The section it is in, or who said it. */
	readonly heading: string;
	readonly source: RecallSource;
	readonly kind?: RecallKind | undefined;
	/** When it was said or written, ms since the epoch. */
	readonly date?: number | undefined;
	/** When it was said, as the log counts. Undefined: before everything else. */
	readonly seq?: number | undefined;
	/** Files that it mentions, relative to the project. */
	readonly paths?: readonly string[] | undefined;
	/** The file it is in. */
	readonly file?: string | undefined;
	/** Items of one stretch (a section, a session) are neighbours, in the order given. */
	readonly stretch?: string | undefined;
}

/** An item of this length lends half of what a short one does. */
const LENDING_CHARS = 400;

/** The stems are those of English: words of other languages are compared by their beginning. */
const [MIN_FORM_CHARS, MIN_START_CHARS, MAX_ENDING_CHARS] = [8, 6, 2];

export interface ItemIndexOptions {
	/** False: words must be equal. For measuring the value of stems. */
	readonly stem?: boolean | undefined;
	/** False: leave out heading, day and paths. */
	readonly about?: boolean | undefined;
}

export class ItemIndex implements Disposable {
	readonly items: readonly RecallItem[];
	/** Items with equal numbers are in one stretch. */
	readonly stretches: Int32Array;
	readonly stretchCount: number;
	/** Between 0 and 1: a long item has a bit of everything, and says little about its neighbours. */
	readonly lending: Float64Array;
	readonly #db = new DatabaseSync(":memory:");
	readonly #rows: StatementSync;
	readonly #headings: StatementSync;
	/** The rows of each heading, by its row in the table of headings. */
	readonly #under: readonly (readonly number[])[];

	constructor(items: readonly RecallItem[], { stem = true, about = true }: ItemIndexOptions = {}) {
		this.items = items;
		this.stretches = stretchNumbers(items);
		this.stretchCount = new Set(this.stretches).size;
		this.lending = Float64Array.from(items, ({ text }) => 1 / (1 + (text.length / LENDING_CHARS) ** 2));
		const tokenizer = `${stem ? "porter " : ""}unicode61 remove_diacritics 2`;
		this.#db.exec(`
			PRAGMA temp_store = MEMORY;
			CREATE VIRTUAL TABLE item USING fts5 (body, content = '', detail = none, columnsize = 0, tokenize = '${tokenizer}');
			CREATE VIRTUAL TABLE heading USING fts5 (body, content = '', detail = none, columnsize = 0, tokenize = '${tokenizer}');
			BEGIN;
		`);
		const insert = this.#db.prepare("INSERT INTO item (rowid, body) VALUES (?, ?)");
		for (const [row, item] of items.entries()) insert.run(row, indexedItem(item, { about }));
		this.#under = this.#indexHeadings();
		this.#db.exec("COMMIT");
		this.#rows = this.#db.prepare("SELECT rowid FROM item WHERE item MATCH ?");
		this.#headings = this.#db.prepare("SELECT rowid FROM heading WHERE heading MATCH ?");
		this.#rows.setReturnArrays(true);
		this.#headings.setReturnArrays(true);
	}

	/** The rows that have a word, in order; if none has it, those with another form of it. */
	rowsWith(term: string): Int32Array {
		const exact = Int32Array.from(all<readonly [number]>(this.#rows, quoted(term)), ([row]) => row);
		if (exact.length > 0 || term.length < MIN_FORM_CHARS || !/^\p{L}+$/u.test(term)) return exact;
		const start = term.slice(0, Math.max(MIN_START_CHARS, term.length - MAX_ENDING_CHARS));
		return Int32Array.from(all<readonly [number]>(this.#rows, `${quoted(start)}*`), ([row]) => row);
	}

	/** The rows whose heading has the word. */
	rowsUnder(term: string): readonly number[] {
		return all<readonly [number]>(this.#headings, quoted(term)).flatMap(([heading]) => this.#under[heading] ?? []);
	}

	[Symbol.dispose](): void {
		this.#db.close();
	}

	#indexHeadings(): readonly (readonly number[])[] {
		const byHeading = Map.groupBy(this.items.entries(), ([, { heading }]) => heading);
		const insert = this.#db.prepare("INSERT INTO heading (rowid, body) VALUES (?, ?)");
		for (const [number, heading] of [...byHeading.keys()].entries()) insert.run(number, termsOf(heading).join(" "));
		return [...byHeading.values()].map((entries) => entries.map(([row]) => row));
	}
}

function quoted(term: string): string {
	return `"${term.replaceAll('"', " ")}"`;
}

function stretchNumbers(items: readonly RecallItem[]): Int32Array {
	const numbers = new Map<string, number>();
	return Int32Array.from(items, ({ stretch }, row) => {
		// An item without a stretch has no neighbours.
		if (stretch === undefined) return -1 - row;
		const known = numbers.get(stretch);
		if (known !== undefined) return known;
		numbers.set(stretch, numbers.size);
		return numbers.size - 1;
	});
}
