import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { distinctWords, endsInSingle, identifierParts, indexedText as indexed, spread } from "./words.ts";

test("the words of a text are its runs of letters and digits, in order, each once", () => {
	const text = fc.string({ unit: fc.constantFrom(..."aB9 ._-Äß迁스ス🔥𠮷½…©\ud83d\0\u0301"), maxLength: 30 });
	fc.assert(
		fc.property(text, (whole) => {
			assert.deepEqual([...distinctWords(whole)], [...new Set(whole.match(/[\p{L}\p{N}]+/gu))]);
		}),
		{ numRuns: 500 },
	);
});

test("parts are the same, whichever way they are found", () => {
	// A letter of another script sends a word the long way; it stands alone at the end.
	const word = fc.string({ unit: fc.constantFrom(..."abzAQZ019_-"), minLength: 1, maxLength: 20 });
	fc.assert(
		fc.property(word, (text) => {
			const [...parts] = identifierParts(`${text}-é`);
			assert.deepEqual([...identifierParts(`${text}-`)], [...parts.slice(0, -1), parts.at(-1)!.slice(0, -1)]);
		}),
		{ numRuns: 500 },
	);
});

test("takes identifiers apart where their case changes", () => {
	assert.deepEqual(identifierParts("getUserById"), ["get", "User", "By", "Id"]);
	assert.deepEqual(identifierParts("HTTPServer"), ["HTTP", "Server"]);
	assert.deepEqual(identifierParts("sha256Sum"), ["sha256", "Sum"]);
	assert.deepEqual(identifierParts("größeÄndern"), ["größe", "Ändern"]);
	for (const whole of ["word", "Word", "WORD", "URLs", "x".repeat(65), "a1b2"])
		assert.deepEqual(identifierParts(whole), [whole]);
});

test("puts the parts of each distinct identifier behind the text, apart from each other", () => {
	assert.equal(indexed("getUser x getUser HTTPServer"), "getUser x getUser HTTPServer ǁ get User ǁ HTTP Server");
	assert.equal(indexed("plain words_only"), "plain words_only");
});

test("spreads CJK runs into pairs and the last character, also next to other letters", () => {
	assert.equal(spread("迁移脚本"), " 迁移 移脚 脚本 本 ");
	assert.equal(spread("API의 설계"), "API 의   설계 계 ");
	assert.equal(spread("カー"), " カー ー ");
	assert.equal(spread("𠮷野家"), " 𠮷野 野家 家 ");
});

test("leaves the last run of a query open, for the text may go on", () => {
	assert.equal(spread("迁移 脚本", { open: true }), " 迁移 移   脚本 ");
	assert.equal(endsInSingle("API의"), true);
	assert.equal(endsInSingle("설계"), false);
	assert.equal(endsInSingle("의 x"), false);
});

test("makes words of emoji", () => {
	assert.equal(spread("a🔥b"), "a emoji1f525 b");
	assert.equal(spread("✅"), " emoji2705 ");
});

test("NUL parts words", () => {
	assert.equal(indexed("a\0b"), "a b");
});

test("stays linear on a long run without a change of case", () => {
	const text = "a".repeat(3_000_000);
	assert.equal(indexed(text).length, 2_000_000);
});

test("a word of millions of letters comes in pieces, and has all its grams", () => {
	for (const letter of ["移", "x", "é", "𠮷"]) {
		const words = distinctWords(`é ${letter.repeat(5_000_000 / letter.length)}abc end`);
		assert.ok(words.has("é") && words.has("end"));
		assert.ok([...words].every((word) => word.length <= 20_002));
		const last = [...words].find((word) => word.endsWith("abc"))!;
		assert.ok(last.endsWith(`${letter}abc`));
	}
});
