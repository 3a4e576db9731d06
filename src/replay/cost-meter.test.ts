import assert from "node:assert/strict";
import test from "node:test";
import { CACHE_TTL_MS, LONG_CACHE_TTL_MS } from "../base/tokens/prices.ts";
import { CostMeter } from "./mode-report.ts";

const PRICES = { input: 3, output: 5, read: 0.1, write: 1.25, writeLong: 2 };
const OPTIONS = { prices: PRICES, fixedTokens: 1_000, cacheLifetime: CACHE_TTL_MS };

test("the first request writes everything, the next one reads what is the same and writes the rest", () => {
	const meter = new CostMeter(OPTIONS);
	const first = meter.request(asked(0, "a", "b"));
	assert.deepEqual(first, { tokens: 1_200, read: 0, written: 1_200, units: 1_500, cold: true, broke: false });
	const second = meter.request(asked(60_000, "a", "b", "c"));
	assert.deepEqual(second, { tokens: 1_300, read: 1_200, written: 100, units: 245, cold: false, broke: false });
});

test("everything after the first changed message is written again, and counts as a break", () => {
	const meter = new CostMeter(OPTIONS);
	meter.request(asked(0, "a", "b", "c"));
	const { read, written, broke } = meter.request(asked(1, "a", "x", "c", "d"));
	assert.deepEqual({ read, written, broke }, { read: 1_100, written: 300, broke: true });
});

test("a request that is shorter than the one before it is a break too", () => {
	const meter = new CostMeter(OPTIONS);
	meter.request(asked(0, "a", "b", "c"));
	assert.equal(meter.request(asked(1, "a", "b")).broke, true);
});

test("a cache that was not used for five minutes is cold, and every use restarts the time", () => {
	const meter = new CostMeter(OPTIONS);
	meter.request(asked(0, "a"));
	assert.equal(meter.request(asked(CACHE_TTL_MS, "a")).cold, false);
	assert.equal(meter.request(asked(2 * CACHE_TTL_MS, "a")).cold, false);
	const late = meter.request(asked(3 * CACHE_TTL_MS + 1, "a", "b"));
	assert.deepEqual([late.cold, late.read, late.written, late.broke], [true, 0, 1_200, false]);
});

test("a message for one request only costs plain input, and the next request does not miss it", () => {
	const meter = new CostMeter(OPTIONS);
	const { tokens, units } = meter.request({ ...asked(0, "a"), plain: 50 });
	assert.deepEqual([tokens, units], [1_150, 1_100 * 1.25 + 50]);
	assert.equal(meter.request(asked(1, "a", "b")).broke, false);
});

test("a summariser reads the cached request before it, and its output costs five times as much", () => {
	const meter = new CostMeter(OPTIONS);
	meter.request(asked(0, "a", "b"));
	const plain = 0.1 * 1_000 + 1.25 * 100;
	assert.equal(meter.request({ ...asked(1, "s"), summariserTokens: 300 }).units, plain + 0.1 * 1_200 + 5 * 300);
});

test("with a cache that lives for an hour, half an hour is warm", () => {
	const meter = new CostMeter({ ...OPTIONS, cacheLifetime: LONG_CACHE_TTL_MS });
	meter.request(asked(0, "a"));
	assert.equal(meter.request(asked(1_800_000, "a")).cold, false);
	assert.equal(meter.request(asked(1_800_000 + LONG_CACHE_TTL_MS + 1, "a")).cold, true);
});

test("what is written for an hour costs twice the input", () => {
	const meter = new CostMeter({ ...OPTIONS, cacheLifetime: LONG_CACHE_TTL_MS });
	assert.equal(meter.request(asked(0, "a", "b")).units, 2 * 1_200);
	assert.equal(meter.request(asked(1, "a", "b", "c")).units, 0.1 * 1_200 + 2 * 100);
});

test("a prompt above a step of its model's price costs more, all of it", () => {
	const prices = { ...PRICES, steps: [{ ...PRICES, input: 15, above: 1_250 }] };
	const meter = new CostMeter({ ...OPTIONS, prices });
	assert.equal(meter.request(asked(0, "a", "b")).units, 1.25 * 1_200);
	assert.equal(meter.request(asked(1, "a", "b", "c")).units, 5 * (0.1 * 1_200 + 1.25 * 100));
});

function asked(ts: number, ...keys: string[]) {
	return { cached: keys.map((hash) => ({ hash, tokens: 100 })), plain: 0, ts, summariserTokens: 0 };
}
