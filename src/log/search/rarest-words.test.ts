/** A search for any of many words ranks a bounded number of documents, however long the log: counted, not timed. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { test } from "node:test";
import { temporaryFolder } from "../../../test/rig/temporary-folder.ts";
import { databaseOf } from "../database.ts";
import { Log } from "../log.ts";
import type { SearchDoc } from "../types.ts";

const COMMON = ["river", "storm", "harbour", "weekend", "station"];
const DOCS = 3_000;

function logOf(texts: readonly string[]): Log {
	const log = new Log({
		folder: join(temporaryFolder(), "log"),
		origin: "here",
		searchable: (record) => record.payload["raw"] as SearchDoc,
	});
	log.append(
		texts.map((text, ts) => ({
			type: "Message",
			session: "s",
			host: "test",
			ts,
			payload: { role: "user", form: "pi" },
			raw: JSON.stringify({ role: "user", text }),
		})),
	);
	log.search.catchUp();
	return log;
}

/** Documents that FTS5 reads for the words that it ranks by. */
function countRanked(log: Log, words: readonly string[], limit: number) {
	const expressions: string[] = [];
	const statements = StatementSync.prototype as unknown as { all(...given: unknown[]): unknown[] };
	const { all } = statements;
	statements.all = function (...given) {
		expressions.push(...given.filter((each): each is string => typeof each === "string" && each.includes("(")));
		return all.apply(this, given);
	};
	try {
		const seqs = log.search.findAny({ words, limit }).map(({ seq }) => seq);
		statements.all = all;
		const ranked = [...(expressions[0] ?? "").matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word);
		const count = databaseOf(log).prepare("SELECT count(*) AS n FROM search_words WHERE search_words MATCH ?");
		const read = ranked.reduce((sum, word) => sum + Number(count.get(`{body} : "${word}"`)?.["n"]), 0);
		return { seqs, ranked, read };
	} finally {
		statements.all = all;
	}
}

test("the rarest words choose, and words of most documents are left out where others say more", () => {
	const texts = Array.from(
		{ length: DOCS },
		(_, n) => `${COMMON.join(" ")} ${n === 40 || n === 2_000 ? "bandoneon" : n}`,
	);
	using log = logOf(texts);
	const { seqs, ranked, read } = countRanked(log, [...COMMON, "bandoneon"], 2);
	assert.deepEqual(ranked, ["bandoneon", "river"]);
	assert.ok(read <= 4_000, `${read} documents`);
	assert.ok(seqs.includes(41) && seqs.includes(2_001), String(seqs));
});

test("a word of most documents alone is still searched for, and few documents are ranked by all words", () => {
	using log = logOf(Array.from({ length: DOCS }, () => COMMON.join(" ")));
	assert.deepEqual(countRanked(log, COMMON, 5).ranked, ["river"]);
	assert.ok(countRanked(log, ["storm"], 5).seqs.length >= 5);
	using small = logOf(Array.from({ length: 500 }, (_, n) => `${COMMON.join(" ")} ${n}`));
	assert.deepEqual(countRanked(small, COMMON, 5).ranked, COMMON);
});
