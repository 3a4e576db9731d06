import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooNested } from "./nesting.ts";

test("a text of brackets is told from one with long strings, in one pass", () => {
	const large = "x".repeat(2_000_000);
	const tooNested = (text: string) => isTooNested(Buffer.from(text));
	assert.equal(tooNested("[".repeat(60_000_000)), true);
	assert.equal(tooNested(`{"a":${"[".repeat(1_000)}${large}`), true);
	assert.equal(tooNested(`[${"[],".repeat(1_500_000)}[]]`), true);
	assert.equal(tooNested(JSON.stringify({ messages: [{ content: `${"[{".repeat(1_000_000)}\\"\\\\` }] })), false);
	assert.equal(
		tooNested(JSON.stringify(Array.from({ length: 50_000 }, (_, n) => ({ n, text: "\\".repeat(n % 40) })))),
		false,
	);
	assert.equal(tooNested(`"${large}`), false);
	assert.equal(tooNested("[".repeat(100_000)), false, "a short text costs little");
});
