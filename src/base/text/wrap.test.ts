import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textWidth } from "./cut.ts";
import { wrapWords } from "./wrap.ts";

test("a long line is broken at blanks, and what follows is indented", () => {
	assert.deepEqual(wrapWords("  one two three four", 12), ["  one two", "    three", "    four"]);
	assert.deepEqual(wrapWords("one two", 12), ["one two"]);
	assert.deepEqual(wrapWords("see /a/very/long/path now", 10), ["see", "  /a/very/long/path", "  now"]);
	assert.deepEqual(wrapWords("one two three", undefined), ["one two three"]);
});

test("no word is lost or broken, and no line is too wide unless it is one word", () => {
	const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "字", "é"), minLength: 1, maxLength: 12 }), {
		minLength: 1,
		maxLength: 30,
	});
	fc.assert(
		fc.property(words, fc.integer({ min: 4, max: 40 }), (given, columns) => {
			const lines = wrapWords(given.join(" "), columns);
			assert.deepEqual(lines.join(" ").split(/\s+/), given);
			for (const line of lines) assert.ok(textWidth(line) <= columns || !line.trim().includes(" "), line);
		}),
		{ numRuns: 100 },
	);
});

test("a number stays beside its percent sign", () => {
	assert.deepEqual(wrapWords("about $182.14, 24 % less", 17), ["about $182.14,", "  24 % less"]);
});
