import assert from "node:assert/strict";
import { test } from "node:test";
import { costUnits, dollarsOf, listedBy, pricesFromList, pricesOf, readPriceList, UNKNOWN_PRICES } from "./prices.ts";

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

test("what is written for an hour costs twice the input", () => {
	const prices = { input: 4, read: 0.1, write: 1.25 };
	assert.equal(costUnits({ write: 200, writeLong: 100 }, prices), 325);
	assert.equal(costUnits({ write: 100, writeLong: 200 }, prices), 200);
});

test("a host's price list goes before ours; a model that costs nothing saves nothing, and one nobody knows is assumed", () => {
	assert.deepEqual(pricesFromList({ input: 2, cacheRead: 0.5, cacheWrite: 0 }), { input: 2, read: 0.25, write: 1 });
	const free = pricesFromList({ input: 0, cacheRead: 0, cacheWrite: 0 });
	assert.deepEqual([dollarsOf(1e6, free), free.assumed], [0, undefined]);
	assert.equal(pricesOf("nobody-1").assumed, true);
	assert.equal(pricesOf("claude-opus-4-6").assumed, undefined);
});

test("an answer tells the list behind its cost, of the kinds of tokens that it has", () => {
	const costs = { input: 0.003, cacheRead: 0.0003, cacheWrite: 0 };
	assert.deepEqual(listedBy({ input: 1_000, cacheRead: 1_000, cacheWrite: 0, costs }), { input: 3, cacheRead: 0.3 });
	assert.deepEqual(listedBy({ input: 1_000, cacheRead: 0, cacheWrite: 0 }), {});
});

test("settings list a model with its prices in dollars; what cannot be read is left out", () => {
	const listed = readPriceList(["Local/Own-1 = 1/0.5/1", "own-2=4", "own-3", "own-4=dear"]);
	assert.deepEqual(listed, {
		"local/own-1": { input: 1, read: 0.5, write: 1 },
		"own-2": { input: 4, read: 0.1, write: 1.25 },
	});
	assert.deepEqual(pricesOf("Local/Own-1", listed), listed["local/own-1"]);
});

test("a model may have any name", () => {
	assert.deepEqual(pricesOf("constructor"), pricesOf("unknown"));
});
