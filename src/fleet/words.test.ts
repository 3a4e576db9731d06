import assert from "node:assert/strict";
import { test } from "node:test";
import { fleetQueries, fleetWords } from "./words.ts";

test("a text is fed as words alone, the parts of its identifiers first, pairs of CJK, emoji by name", () => {
	assert.equal(fleetWords("getUserById(x) in src/app.ts"), "ǁ get user by id ǁ getuserbyid x in src app ts");
	assert.equal(fleetWords("Größe 検索 🎉"), "ǁ große 検索 索 emoji1f389");
	assert.equal(fleetWords(""), "ǁ ");
});

test("nothing that somebody types is an operator of the server's query language", () => {
	assert.deepEqual(fleetQueries("parser's tabs"), ["('parser' <-> 's') & 'tabs'"]);
	assert.deepEqual(fleetQueries("getUser"), [
		"('getuser' | ('ǁ' <-> 'get' <-> 'user'))",
		"('getuser' | ('get' <-> 'user'))",
	]);
	assert.deepEqual(fleetQueries("& | ! <-> :* ' \\"), []);
	assert.deepEqual(fleetQueries("検"), ["'検':*"]);
});

test("what is fed fits into the server's index, whatever is in the text", () => {
	const longest = [..."検索全文設定"].join("").repeat(200_000);
	assert.ok(Buffer.byteLength(fleetWords(longest)) <= 300_000);
	assert.ok(fleetWords("a b ".repeat(500_000)).length <= 300_003);
});
