import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { stem } from "./porter.ts";

const STARTS = "a be con di ex fl gr hy inter k lo ma no op pre qu re st ty un v wr x y z tr se la bo".split(" ");
const MIDDLES = "a at bl iz ll ss zz tt pp ow ax ay il ton form lat nder rop ea ie u hop fil cr 1 q9".split(" ");
const ENDS = [
	"",
	..."s es ies sses ed eed ing y ational tional enci anci izer logi bli alli entli eli ousli".split(" "),
].concat(
	"ization ation ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness".split(
		" ",
	),
	"al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll".split(" "),
);

test("stems are those of the local search, for every ending", () => {
	const words = [...new Set(STARTS.flatMap((a) => MIDDLES.flatMap((b) => ENDS.map((c) => a + b + c))))];
	using db = new DatabaseSync(":memory:");
	db.exec("CREATE VIRTUAL TABLE w USING fts5(x, tokenize = 'porter unicode61 remove_diacritics 2')");
	db.exec("CREATE VIRTUAL TABLE v USING fts5vocab(w, 'instance')");
	const insert = db.prepare("INSERT INTO w (rowid, x) VALUES (?, ?)");
	db.exec("BEGIN");
	for (const [at, word] of words.entries()) insert.run(at, word);
	db.exec("COMMIT");
	const wrong: string[] = [];
	for (const { term, doc } of db.prepare("SELECT term, doc FROM v").iterate()) {
		const word = words[Number(doc)]!;
		if (stem(word) !== term) wrong.push(`${word}: ${stem(word)}, not ${term}`);
	}
	assert.deepEqual([words.length > 10_000, wrong.slice(0, 10)], [true, []]);
});
