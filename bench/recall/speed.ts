/** Ranking among 10,000 items, compared with the bare FTS5 query for the same words. */
import { DatabaseSync } from "node:sqlite";
import { ItemIndex, type RecallItem } from "../../src/state/memory/recall/item-index.ts";
import { rank } from "../../src/state/memory/recall/rank.ts";
import { termsOf } from "../../src/state/memory/recall/terms.ts";
import { random } from "../corpus.ts";
import { itemAt, medianRatio, micros, type Ratio } from "../measure.ts";

const ITEMS = 10_000;
const WORDS = 4_000;
const QUERIES = 16;
const BOUND = 2;

export function measureSpeed(): { readonly ratios: readonly Ratio[] } {
	const chance = random(7);
	// Few words are frequent and many are rare, as in any language.
	const word = () => `w${Math.floor(WORDS * chance() ** 2)}x`;
	const words = (count: number) => Array.from({ length: count }, word).join(" ");
	const items = Array.from(
		{ length: ITEMS },
		(_, n): RecallItem => ({
			id: String(n),
			text: words(8 + Math.floor(chance() * 40)),
			heading: `part ${n % 12}`,
			source: "history",
			stretch: `s${Math.floor(n / 20)}`,
			date: n * 3_600_000,
		}),
	);
	const queries = Array.from({ length: QUERIES }, () => words(8));
	using index = new ItemIndex(items);
	const db = new DatabaseSync(":memory:");
	try {
		db.exec("CREATE VIRTUAL TABLE bare USING fts5 (body, tokenize = 'porter unicode61 remove_diacritics 2')");
		const insert = db.prepare("INSERT INTO bare (rowid, body) VALUES (?, ?)");
		for (const [row, { text }] of items.entries()) insert.run(row, text);
		const select = db.prepare("SELECT rowid FROM bare WHERE bare MATCH ? ORDER BY rank LIMIT 10");
		const query = (n: number) => itemAt(queries, n % QUERIES);
		const { ratio, oursMs, otherMs } = medianRatio(
			QUERIES,
			(n) => rank(index, query(n), { limit: 10 }),
			(n) =>
				select.all(
					termsOf(query(n))
						.map((term) => `"${term}"`)
						.join(" OR "),
				),
		);
		const detail = `${micros(oursMs)} and ${micros(otherMs)}, ${ITEMS} items`;
		return { ratios: [{ name: "recall", beside: "bare FTS5 query", ratio, bound: BOUND, detail }] };
	} finally {
		db.close();
	}
}
