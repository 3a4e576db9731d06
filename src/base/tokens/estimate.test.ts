import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOfTokens, estimateTokens, tokensOfBytes } from "./estimate.ts";

test("case 25: short texts of many scripts, by bytes of UTF-8 and never fewer than one token", () => {
	const texts = ["Hello world", "你好世界", "こんにちは", "안녕하세요", "😀😀😀", "Hello 你好 🔥", "𠮷", "ＡＢＣ", ""];
	assert.deepEqual(texts.map(estimateTokens), [4, 4, 5, 5, 4, 6, 2, 3, 0]);
});

test("case 26: five characters are two tokens", () => {
	assert.equal(estimateTokens("abcde"), 2);
});

test("bytes and tokens turn into each other without promising too much", () => {
	for (const tokens of [0, 1, 2, 3, 1_000, 99_999]) assert.ok(tokensOfBytes(bytesOfTokens(tokens)) <= tokens);
	assert.equal(bytesOfTokens(-1), 0);
});
