import assert from "node:assert/strict";
import { test } from "node:test";
import { costUnits, dollarsOf, pricesOf, UNKNOWN_PRICES } from "./prices.ts";

test("a model is known by the beginning of its id, with or without its provider", () => {
	assert.deepEqual(pricesOf("claude-sonnet-4-5-20250929"), { input: 3, read: 0.1, write: 1.25 });
	assert.deepEqual(pricesOf("openrouter/anthropic/claude-opus-4-5"), { input: 5, read: 0.1, write: 1.25 });
	assert.deepEqual(pricesOf("GPT-5-mini"), { input: 0.25, read: 0.1, write: 1 });
});

test("an unknown model costs what most do; settings know better", () => {
	assert.deepEqual(pricesOf("nobody-1"), UNKNOWN_PRICES);
	assert.deepEqual(pricesOf(undefined), UNKNOWN_PRICES);
	const own = { input: 1, read: 0.5, write: 1 };
	assert.deepEqual(pricesOf("local/nobody-1", { "nobody-1": own }), own);
});

test("a prompt costs by what was read from the cache, written to it, and neither", () => {
	const prices = { input: 4, read: 0.1, write: 1.25 };
	assert.equal(costUnits({ read: 1_000, write: 200, input: 30 }, prices), 380);
	assert.equal(costUnits({ write: 200 }, prices), 250);
	assert.equal(costUnits({}, prices), 0);
	assert.equal(dollarsOf(250_000, prices), 1);
});
