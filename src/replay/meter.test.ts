import assert from "node:assert/strict";
import test from "node:test";
import { CACHE_TTL_MS } from "../tokens/assumed.ts";
import { CostMeter } from "./meter.ts";

const PRICES = { input: 3, read: 0.1, write: 1.25 };
const FIXED = 1_000;

test("the first request writes everything, the next one reads what is the same and writes the rest", () => {
	const meter = new CostMeter(PRICES, FIXED);
	const first = meter.request(pieces("a", "b"), 0);
	assert.deepEqual(first, { tokens: 1_200, read: 0, written: 1_200, units: 1_500, cold: true, broke: false });
	const second = meter.request(pieces("a", "b", "c"), 60_000);
	assert.deepEqual(second, { tokens: 1_300, read: 1_200, written: 100, units: 245, cold: false, broke: false });
});

test("after the first message that changed everything is written again, and the break is told", () => {
	const meter = new CostMeter(PRICES, FIXED);
	meter.request(pieces("a", "b", "c"), 0);
	const { read, written, broke } = meter.request(pieces("a", "x", "c", "d"), 1);
	assert.deepEqual({ read, written, broke }, { read: 1_100, written: 300, broke: true });
});

test("a request that is shorter than the one before it is a break too", () => {
	const meter = new CostMeter(PRICES, FIXED);
	meter.request(pieces("a", "b", "c"), 0);
	assert.equal(meter.request(pieces("a", "b"), 1).broke, true);
});

test("a cache that was not used for five minutes is cold, and every use begins the time again", () => {
	const meter = new CostMeter(PRICES, FIXED);
	meter.request(pieces("a"), 0);
	assert.equal(meter.request(pieces("a"), CACHE_TTL_MS).cold, false);
	assert.equal(meter.request(pieces("a"), 2 * CACHE_TTL_MS).cold, false);
	const late = meter.request(pieces("a", "b"), 3 * CACHE_TTL_MS + 1);
	assert.deepEqual([late.cold, late.read, late.written, late.broke], [true, 0, 1_200, false]);
});

test("what is said for one request alone costs plain input, and is not missed in the next one", () => {
	const meter = new CostMeter(PRICES, FIXED);
	const { tokens, units } = meter.request([...pieces("a"), { name: "uncached", tokens: 50, items: items("x") }], 0);
	assert.deepEqual([tokens, units], [1_150, 1_100 * 1.25 + 50]);
	assert.equal(meter.request(pieces("a", "b"), 1).broke, false);
});

function pieces(...keys: string[]) {
	return [{ name: "tail", tokens: keys.length * 100, items: items(...keys) }] as const;
}

function items(...keys: string[]) {
	return keys.map((key) => ({ id: key, hash: key, tokens: 100, bytes: 400 }));
}
