import assert from "node:assert/strict";
import { test } from "node:test";
import { formatDuration, tryDuration } from "./time.ts";

const days = (text: string): number => tryDuration(text)! / 86_400_000;

test("case 76: 90d, 2w, 3m and 1y are 90, 14, 90 and 365 days, in any case", () => {
	assert.deepEqual(
		["90d", "2w", "3m", "1y", "90D", "2W", "3M", "1Y", " 7d "].map(days),
		[90, 14, 90, 365, 90, 14, 90, 365, 7],
	);
	assert.equal(tryDuration("12h"), 43_200_000);
});

test("case 76: zero, negative, unitless and wordy spans are refused", () => {
	for (const text of ["0d", "-5d", "90", "abc", "", "d", "1.5d", "1d2h", "99999999d", "1 d", "١d"]) {
		assert.equal(tryDuration(text), undefined, text);
	}
});

test("a duration has two units at most", () => {
	assert.deepEqual([40, 1_249, 59_000, 200_000, 3_600_000, 7_500_000].map(formatDuration), [
		"40ms",
		"1.2s",
		"59.0s",
		"3m 20s",
		"1h",
		"2h 5m",
	]);
});
