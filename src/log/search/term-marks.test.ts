import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTerms } from "./query.ts";
import { markTerms, termPatterns } from "./term-marks.ts";

const marks = (query: string, text: string) =>
	markTerms(text, termPatterns(parseTerms(query))).map(({ start, end }) => text.slice(start, end));

test("prefers the whole word to a part of one", () => {
	assert.deepEqual(marks("log", "catalog, then Log"), ["Log"]);
	assert.deepEqual(marks("log", "catalog"), ["log"]);
});

test("recognises other forms, other cases and accents", () => {
	assert.deepEqual(marks("erroring", "two errors"), ["errors"]);
	assert.deepEqual(marks("cafe", "das Café"), ["Café"]);
});

test("recognises identifiers however they are joined, and phrases across lines", () => {
	assert.deepEqual(marks("getUser", "get_user"), ["get_user"]);
	assert.deepEqual(marks("getUser", "getUserById"), ["getUser"]);
	assert.deepEqual(marks('"two words"', "two\n  words"), ["two\n  words"]);
	assert.deepEqual(marks("sub-agent", "a sub agent"), ["sub agent"]);
});

test("prefers the beginning of a word, of a part of an identifier, and other forms to the middle of a word", () => {
	assert.deepEqual(marks("rate limit", "enumerate: the rateLimit"), ["rate", "Limit"]);
	assert.deepEqual(marks("rate limit", "enumerate the rates, unlimited, limits"), ["rate", "limit"]);
	assert.deepEqual(marks("rating", "generated, rated"), ["rated"]);
	assert.deepEqual(marks("server", "observer of HTTPServer"), ["Server"]);
	assert.deepEqual(marks("rate", "strategy"), ["rate"]);
});

test("marks every term near the earliest match, without overlap", () => {
	assert.deepEqual(marks("b a", `a b a ${"x".repeat(400)} a`), ["a", "b", "a"]);
	assert.deepEqual(marks("user userName", "userName"), ["userName"]);
});

test("takes punctuation as it stands", () => {
	assert.deepEqual(marks("=>", "a => b"), ["=>"]);
	assert.deepEqual(marks("(.*)[a]", "x (.*)[a]"), ["a"]);
	assert.deepEqual(marks("🔥", "on 🔥"), ["🔥"]);
});
