import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCount, plural } from "./bytes.ts";

test("writes sizes in decimal units with two digits, or whole units", () => {
	assert.deepEqual([0, 1, 999, 1000, 1449, 9949, 9950, 999_499, 999_500, 23_400_000, 5.2e9, 7e15].map(formatBytes), [
		"0 B",
		"1 B",
		"999 B",
		"1.0 kB",
		"1.4 kB",
		"9.9 kB",
		"10 kB",
		"999 kB",
		"1.0 MB",
		"23 MB",
		"5.2 GB",
		"7000 TB",
	]);
});

test("groups digits by three and puts the noun in its number", () => {
	assert.deepEqual([0, 999, 1000, 1_234_567].map(formatCount), ["0", "999", "1,000", "1,234,567"]);
	assert.deepEqual(
		[plural(1, "session"), plural(0, "session"), plural(2000, "match", "matches")],
		["1 session", "0 sessions", "2,000 matches"],
	);
});
