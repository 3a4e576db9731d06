import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAgo, formatTime, parseTime, shortAge } from "./time.ts";

const NOW = Date.UTC(2026, 10, 15, 12);

test("reads a span as time back from now", () => {
	assert.equal(parseTime("2w", NOW), NOW - 14 * 86_400_000);
	assert.equal(parseTime("12H", NOW), NOW - 43_200_000);
});

test("reads ISO dates and times, in the zone they name or else local", () => {
	assert.equal(parseTime("2026-11-15T09:30:01.250Z", NOW), Date.UTC(2026, 10, 15, 9, 30, 1, 250));
	assert.equal(parseTime("2026-11-15 09:30+02:00", NOW), Date.UTC(2026, 10, 15, 7, 30));
	assert.equal(parseTime("2026-11-15T09:30+0200", NOW), Date.UTC(2026, 10, 15, 7, 30));
	assert.equal(parseTime("2026-11-15t09:30z", NOW), Date.UTC(2026, 10, 15, 9, 30));
	assert.equal(parseTime("2026-11-15", NOW), new Date(2026, 10, 15).getTime());
	assert.equal(parseTime("2026-11-15T09:30", NOW), new Date(2026, 10, 15, 9, 30).getTime());
});

test("refuses days that do not exist and texts that are no time", () => {
	for (const text of ["2026-02-30", "2026-13-01", "2026-11-15T25:00", "yesterday", "", "0d", "2026", "1700000000000"]) {
		assert.throws(() => parseTime(text, NOW), { code: "usage", message: /is not a time/ }, text);
	}
});

test("what is shown can be typed back", () => {
	const ms = new Date(2026, 0, 2, 3, 4, 5).getTime();
	assert.equal(formatTime(ms), "2026-01-02 03:04:05");
	assert.equal(parseTime(formatTime(ms), NOW), ms);
	assert.equal(formatTime(Number.NaN), "unknown time");
});

test("says how long ago in one unit", () => {
	const ago = [-5000, 0, 59_000, 60_000, 7_200_000, 86_400_000, 864_000_000];
	assert.deepEqual(
		ago.map((ms) => formatAgo(NOW - ms, NOW)),
		["just now", "just now", "just now", "1 minute ago", "2 hours ago", "1 day ago", "10 days ago"],
	);
	assert.deepEqual(
		ago.map((ms) => shortAge(NOW - ms, NOW)),
		["just now", "just now", "just now", "1m ago", "2h ago", "1d ago", "10d ago"],
	);
});
