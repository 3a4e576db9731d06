import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readDocument } from "./indexed-document.ts";
import { distinctWords, indexedText } from "./words.ts";

const gramsOf = (text: string) => readDocument([text]).grams.split(" ").filter(Boolean);
const fed = (...texts: readonly string[]) => readDocument(texts).texts.map((bytes) => Buffer.from(bytes).toString());

test("read in one pass, a text gives what its words give one by one", () => {
	const text = fc.string({ unit: fc.constantFrom(..."abzABZ0279 ._-é迁스🔥…\0"), maxLength: 60 });
	fc.assert(
		fc.property(text, text, (one, other) => {
			assert.deepEqual(fed(one, other), [indexedText(one), indexedText(other)]);
			const alone = new Set([...distinctWords(one)].flatMap(gramsOf));
			assert.deepEqual(gramsOf(one).sort(), [...alone].sort());
		}),
		{ numRuns: 1_000 },
	);
});

test("an identifier has its parts once in a text, wherever it stands, and again in the next one", () => {
	assert.deepEqual(fed("getUser x…getUser… getUser", "getUser"), [
		"getUser x…getUser… getUser ǁ get User",
		"getUser ǁ get User",
	]);
	// The letters after the end of a text are those of a longer one that was read before.
	assert.deepEqual(fed("ABcdef", "xAB"), ["ABcdef ǁ A Bcdef", "xAB ǁ x AB"]);
});

test("many distinct identifiers are all told apart", () => {
	const words = Array.from({ length: 20_000 }, (_, n) => `someName${n}Of`);
	const text = [...words, ...words].join(" ");
	assert.deepEqual(fed(text), [indexedText(text)]);
});
