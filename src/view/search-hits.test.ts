import assert from "node:assert/strict";
import { test } from "node:test";
import type { Hit } from "../log/search/types.ts";
import { hitRemarks, renderTitledHits } from "./search-hits.ts";
import { PLAIN } from "./text-style.ts";

const HIT: Hit = {
	seq: 12,
	id: "01890a5d-ac96-774b-bcce-b302099a8057",
	session: "s1",
	role: "toolResult",
	tool: "bash",
	ts: Date.UTC(2026, 0, 5, 10),
	snippet: "the parser fails on tabs",
	ranges: [{ start: 4, end: 10 }],
	score: 1,
};

const sessionOf = (session: string) =>
	session === "s1" ? { title: "Make the parser accept tabs", host: "codex" } : undefined;

test("a hit is one line where there is room, and two on a narrow terminal", () => {
	for (const columns of [undefined, 160]) {
		const [title, line, ...rest] = renderTitledHits([HIT], { ...PLAIN, columns }, sessionOf);
		assert.equal(title, "Make the parser accept tabs  s1, codex");
		assert.match(line ?? "", /^12 {2}2026-01-05 \S+ {2}toolResult bash {2}the «parser» fails on tabs$/);
		assert.deepEqual(rest, []);
	}
	const lines = [...renderTitledHits([HIT], { ...PLAIN, columns: 80 }, sessionOf)];
	assert.equal(lines.length, 3);
	assert.match(lines[1] ?? "", /toolResult bash$/);
	assert.equal(lines[2], "  the «parser» fails on tabs");
	assert.deepEqual([...renderTitledHits([], { ...PLAIN, columns: 80 }, sessionOf)], []);
});

test("hits keep their order, and a title comes again where sessions alternate", () => {
	const other = { ...HIT, seq: 40, session: "s2" };
	const lines = [...renderTitledHits([HIT, HIT, other, HIT], PLAIN, sessionOf)];
	assert.deepEqual(
		lines.map((line) => line.slice(0, 4)),
		["Make", "12  ", "12  ", "s2", "40  ", "Make", "12  "],
	);
});

test("remarks say why texts were not searched: time, or no index", () => {
	const page = { hits: [], scanned: 3, total: 3, complete: false, behind: 0 };
	assert.deepEqual(
		[...hitRemarks(page)],
		["Nothing found in 3 texts searched.", "The time limit ended the search early."],
	);
	assert.deepEqual(
		[...hitRemarks({ ...page, behind: 1 })],
		[
			"Nothing found in 3 texts searched.",
			"1 event was not searched: it is not in the index, and the log cannot be written here.",
		],
	);
	assert.match([...hitRemarks({ ...page, behind: 2 })].join(), /2 events were not searched: they are not/);
});
