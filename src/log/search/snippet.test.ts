import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { snippetOf } from "./corpus.ts";

const marked = ({ snippet, ranges }: ReturnType<typeof snippetOf>) =>
	ranges.map(({ start, end }) => snippet.slice(start, end));

test("a short text is shown whole, its controls as blanks", () => {
	assert.deepEqual(snippetOf("one\ntwo\tthree\u001b[1m", [{ start: 4, end: 7 }]), {
		snippet: "one two three [1m",
		ranges: [{ start: 4, end: 7 }],
	});
});

test("case 16: the snippet stands around the earliest match, with at most 64 characters before it", () => {
	const text = `${"before ".repeat(50)}needle${" after".repeat(50)} needle`;
	const at = text.indexOf("needle");
	const result = snippetOf(text, [
		{ start: at, end: at + 6 },
		{ start: text.length - 6, end: text.length },
	]);
	assert.deepEqual(marked(result), ["needle"]);
	assert.match(result.snippet, /^…before (before )+needle( after)+.*…$/);
	assert.ok(result.ranges[0]!.start <= 65);
	assert.ok(result.snippet.length <= 202);
});

test("a match at the end keeps the text before it", () => {
	const text = `${"x ".repeat(300)}end`;
	const result = snippetOf(text, [{ start: 600, end: 603 }]);
	assert.deepEqual(marked(result), ["end"]);
	assert.ok(result.snippet.length > 150);
});

test("never cuts a surrogate pair, and its marks lie inside", () => {
	const texts = fc.string({ unit: fc.constantFrom("a", " ", "🔥", "\n", "字"), minLength: 1, maxLength: 600 });
	fc.assert(
		fc.property(texts, fc.nat(600), fc.nat(30), (text, at, length) => {
			const start = Math.min(at, text.length - 1);
			const end = Math.min(text.length, start + 1 + length);
			const { snippet, ranges } = snippetOf(text, [{ start, end }]);
			assert.ok(!snippet.includes("\ufffd"), "a pair was cut");
			assert.equal(ranges.length, 1);
			assert.ok(ranges[0]!.start >= 0 && ranges[0]!.end <= snippet.length && ranges[0]!.start < ranges[0]!.end);
		}),
	);
});
