import assert from "node:assert/strict";
import test from "node:test";
import { countBilledUsage } from "./billed-usage.ts";
import type { ModelCall } from "./recording.ts";

const PRICES = { input: 2, output: 5, read: 0.1, write: 1.25, writeLong: 2 };
const OPTIONS = { prices: PRICES, cost: { dollars: 0.05, estimated: false, assumed: false } };

test("billed prompts are counted at the prices of the rows, the session's own cost beside them; calls without usage are left out", () => {
	const billed = countBilledUsage(
		[call(0, [3, 0, 9_997], { cost: 0.04 }), call(1_000, undefined), call(2_000, [0, 10_000, 2_000], { cost: 0.01 })],
		OPTIONS,
	);
	assert.deepEqual(billed, {
		requests: 2,
		meanTokens: 11_000,
		maxTokens: 12_000,
		costUnits: 15_999,
		costDollars: 0.05,
		estimated: false,
		assumed: false,
		hitShare: 10_000 / 22_000,
		misses: { warm: 0, cold: 0, tokens: 0 },
		perRequest: [10_000, null, 12_000],
	});
});

test("a request that reads far less than the one before it had sent is a miss, warm or cold by the time between", () => {
	const { misses } = countBilledUsage(
		[
			call(0, [0, 0, 20_000]),
			call(1_000, [0, 20_000, 1_000]),
			call(2_000, [0, 0, 22_000]),
			call(400_000, [0, 0, 23_000]),
			// Compacted: the prompt itself is short.
			call(401_000, [0, 2_000, 1_000]),
		],
		OPTIONS,
	);
	assert.deepEqual(misses, { warm: 1, cold: 1, tokens: 21_000 + 22_000 });
});

function call(ts: number, usage: [number, number, number] | undefined, more: { cost?: number } = {}): ModelCall {
	const [input, cacheRead, cacheWrite] = usage ?? [];
	const answer = { ts, ...(usage ? { usage: { input, cacheRead, cacheWrite, output: 500, ...more } } : {}) };
	return { answer } as unknown as ModelCall;
}
