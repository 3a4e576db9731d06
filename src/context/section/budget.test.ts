import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOfTokens, estimateTokens } from "../../tokens/estimate.ts";
import { contextBudget } from "./budget.ts";
import { cutToBytes, Room, tokensOf } from "./section.ts";

test("the budget is Warp's: the window without answer and schemas, three fifths of it", () => {
	assert.equal(contextBudget({ window: 200_000, maxTokens: 64_000 }), Math.floor((200_000 - 8_192 - 12_000) * 0.6));
	assert.equal(
		contextBudget({ window: 200_000, maxTokens: 4_096 }),
		Math.floor((200_000 - 4_096 * 0.8 - 12_000) * 0.6),
	);
	assert.equal(contextBudget({ window: 200_000 }), contextBudget({ window: 200_000, maxTokens: 20_000 }));
});

test("a small window gives a quarter of itself", () => {
	assert.equal(contextBudget({ window: 4_000, maxTokens: 4_000 }), 1_000);
	assert.equal(contextBudget({ window: 16_384, maxTokens: 8_192 }), 4_096);
	assert.equal(contextBudget({ window: 0 }), 0);
	const edge = 12_000 + 8_192 + Math.ceil(2_000 / 0.6);
	assert.equal(contextBudget({ window: edge }), 2_000);
	assert.equal(contextBudget({ window: edge - 2 }), Math.floor((edge - 2) / 4));
});

test("tokens are bytes by 3.2, never too few", () => {
	assert.equal(estimateTokens(""), 0);
	assert.equal(estimateTokens("a".repeat(32)), 10);
	assert.equal(estimateTokens("a".repeat(33)), 11);
	assert.equal(estimateTokens("満潮"), 2);
	for (const tokens of [0, 1, 7, 1_000]) assert.ok(estimateTokens("x".repeat(bytesOfTokens(tokens))) <= tokens);
});

test("a room takes lines while they fit, with their line breaks, and all of a group or none", () => {
	const room = new Room(10);
	assert.equal(room.add("1234", "5678"), true);
	assert.equal(room.left, 0);
	assert.equal(room.add(""), false);
	assert.deepEqual(room.lines, ["1234", "5678"]);
	assert.equal(tokensOf(["1234", "5678"]), 4);
	assert.equal(new Room(-5).add(""), false);
});

test("a text is cut between characters and says so", () => {
	assert.equal(cutToBytes("harbour", 7), "harbour");
	assert.equal(cutToBytes("harbour", 6), "har…");
	assert.equal(cutToBytes("満潮", 5), "…");
	assert.equal(cutToBytes("👨‍👩‍👧👍", 8), "👨…");
	assert.equal(cutToBytes("abc", 2), "");
	for (let bytes = 0; bytes < 40; bytes++)
		assert.ok(Buffer.byteLength(cutToBytes("満潮 06:41 👍 4.2メートル", bytes)) <= bytes);
});
