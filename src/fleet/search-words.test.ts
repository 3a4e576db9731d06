import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetQueries, fleetWords } from "./search-words.ts";

/** What the server reads: stems and their places. */
function stemsOf(text: string): [stem: string, places: number[]][] {
	const bytes = Buffer.from(fleetWords(text));
	let at = 4;
	const stems = Array.from({ length: bytes.readInt32BE(0) }, (): [string, number[]] => {
		const end = bytes.indexOf(0, at);
		const stem = bytes.toString("utf8", at, end);
		const count = bytes.readUInt16BE(end + 1);
		at = end + 3 + 2 * count;
		return [stem, Array.from({ length: count }, (_, nth) => bytes.readUInt16BE(end + 3 + 2 * nth))];
	});
	assert.equal(at, bytes.length);
	return stems;
}

/** The stems in the order of their places. */
function inOrder(text: string): string {
	const places = stemsOf(text).flatMap(([stem, list]) => list.map((at) => [at, stem] as const));
	return places
		.sort(([a], [b]) => a - b)
		.map(([, stem]) => stem)
		.join(" ");
}

test("a text is fed as stems alone, the parts of its identifiers first, pairs of CJK, emoji by name", () => {
	assert.equal(inOrder("getUserById(x) in src/apps.ts"), "ǁ get user by id ǁ getuserbyid x in src app ts");
	assert.equal(inOrder("Größe 検索 🎉 runningTests"), "ǁ run test ǁ groß 検索 索 emoji1f389 runningtest");
	assert.equal(inOrder(""), "ǁ");
	assert.deepEqual(stemsOf("tests test"), [
		["ǁ", [1]],
		["test", [2, 3]],
	]);
});

test("nothing that somebody types is an operator of the server's query language", () => {
	assert.deepEqual(fleetQueries("parser's tabs"), ["('parser' <-> 's') & 'tab'"]);
	assert.deepEqual(fleetQueries("getUser"), [
		"('getus' | ('ǁ' <-> 'get' <-> 'user'))",
		"('getus' | ('get' <-> 'user'))",
	]);
	assert.deepEqual(fleetQueries("& | ! <-> :* ' \\"), []);
	assert.deepEqual(fleetQueries("検"), ["'検':*"]);
});

test("what is fed fits into the server's index, whatever is in the text", () => {
	const distinct = Array.from({ length: 70_000 }, (_, n) => n.toString(36)).join(" ");
	for (const text of [
		"a ".repeat(400),
		"検索全文設定".repeat(20_000),
		"a b ".repeat(500_000),
		distinct,
		`${"x".repeat(5_000)} y`,
	]) {
		const stems = stemsOf(text);
		// With what the server adds to each.
		const bytes = stems.reduce((sum, [stem, at]) => sum + Buffer.byteLength(stem) + 3 + 2 * at.length, 0);
		assert.ok(bytes < 1_048_575);
		assert.ok(stems.every(([stem, at]) => at.length <= 256 && at.at(-1)! <= 16_383 && Buffer.byteLength(stem) < 2_047));
		assert.ok(stems.every(([, at]) => at.every((place, nth) => nth === 0 || place > at[nth - 1]!)));
	}
});
