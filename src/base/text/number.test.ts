import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDollars, formatKilo, formatPercent } from "./bytes.ts";

test("large numbers are cut to what a reader needs", () => {
	assert.deepEqual([0, 912.4, 999.6, 1_000, 28_940, 100_000, 999_949, 999_950, 4_431_000].map(formatKilo), [
		"0",
		"912",
		"1000",
		"1k",
		"28.9k",
		"100k",
		"999.9k",
		"1.00M",
		"4.43M",
	]);
});

test("shares and dollars", () => {
	assert.deepEqual([0, 0.1234, 1].map(formatPercent), ["0.0 %", "12.3 %", "100.0 %"]);
	assert.deepEqual([0, 1.2, -0.05].map(formatDollars), ["$0.00", "$1.20", "-$0.05"]);
});
