import assert from "node:assert/strict";
import test from "node:test";
import {
	axisRequests,
	axisTicks,
	chartScale,
	clockTicks,
	dayNumber,
	linePath,
	maxOf,
	requestAt,
	spreadLabels,
	timeTicks,
} from "./scale.ts";

const scale = (count: number, more = {}) =>
	chartScale({ width: 1_000, height: 200, count, max: 100, isSmall: false, ...more });

test("zero lies on the floor and the largest value at the top", () => {
	const { y, top, floor } = scale(10);
	assert.deepEqual([y(0), y(100), y(50)], [floor, top, (top + floor) / 2]);
});

test("few requests have a band each; many are a curve from edge to edge", () => {
	const few = scale(10);
	assert.deepEqual([few.isBars, few.x(0), few.x(9)], [true, 48 + 41, 868 - 41]);
	const many = scale(500);
	assert.deepEqual([many.isBars, many.x(0), many.x(499)], [false, 48, 868]);
});

test("ticks are round and stay below the largest value; nothing but zeros has one tick", () => {
	assert.deepEqual(axisTicks(104, 4), [0, 50, 100]);
	assert.deepEqual(axisTicks(9, 4), [0, 2.5, 5, 7.5]);
	assert.deepEqual(axisTicks(maxOf([], [[0, null]]), 4), [0]);
});

test("the axis names every second request, fewer where many requests or few pixels leave no room", () => {
	assert.deepEqual(axisRequests(scale(7)), [1, 2, 4, 6]);
	assert.deepEqual(axisRequests(scale(13, { width: 400 })), [1, 6, 12]);
	assert.deepEqual(axisRequests(scale(120)), [1, 20, 40, 60, 80, 100, 120]);
	assert.deepEqual(axisRequests(scale(120, { isSmall: true })), [1, 120]);
});

test("the largest value counts a stack as the sum of its parts", () => {
	assert.equal(
		maxOf(
			[
				[10, 20],
				[5, 5],
			],
			[[25, null]],
		),
		30 * 1.04,
	);
});

test("a path has a gap where a value is missing", () => {
	const { x, y } = scale(4);
	const [first, second, last] = [0, 1, 3].map((at) => `${x(at).toFixed(1)} ${y(50).toFixed(1)}`);
	assert.equal(linePath([50, 50, null, 50], scale(4)), `M${first}L${second}M${last}`);
	// A sum of money does not rise in a pause.
	const [at] = second?.split(" ") ?? [];
	assert.equal(linePath([50, 50, null, 50], scale(4), true), `M${first}H${at}L${second}M${last}`);
});

test("labels never cover each other, and none falls below the axis", () => {
	const { floor } = scale(4);
	const labels = [
		{ at: 0, text: "low", colour: "" },
		{ at: 1, text: "high", sub: "of two lines", colour: "" },
	];
	const placed = spreadLabels(labels, scale(4));
	assert.deepEqual(
		placed.map(({ text }) => text),
		["high", "low"],
	);
	const [high, low] = placed.map(({ y }) => y);
	assert.deepEqual([low, (low ?? 0) - (high ?? 0)], [floor - 2, 29]);
});

test("a time axis names months where there are several, and days otherwise", () => {
	const [first, last] = [dayNumber("2026-01-21"), dayNumber("2026-07-26")];
	assert.equal(last - first, 186);
	const labels = (pixels: number, to = last) => timeTicks(first, to, pixels).map(({ label }) => label);
	assert.deepEqual(labels(1_200), ["2026-02", "2026-03", "2026-04", "2026-05", "2026-06", "2026-07"]);
	assert.deepEqual(labels(200), ["2026-02", "2026-04", "2026-06"]);
	assert.deepEqual(labels(170, first + 6), ["01-21", "01-24", "01-27"]);
});

test("on a time axis a pause is as wide as it was long, and the nearest request is found", () => {
	const [start, hour] = [Date.parse("2026-03-01T22:00:00Z"), 3_600_000];
	const by = scale(3, { times: [start, start + hour, start + 4 * hour] });
	assert.deepEqual([by.isBars, by.x(0), by.x(1), by.x(2)], [false, 48, 48 + 820 / 4, 868]);
	assert.deepEqual([requestAt(100, by), requestAt(250, by), requestAt(860, by)], [0, 1, 2]);
	const labels = (east: number) => clockTicks([start, start + 4 * hour], 300, east).map(({ label }) => label);
	assert.deepEqual(labels(0), ["22:00", "23:00", "03-02", "01:00", "02:00"]);
	assert.deepEqual(labels(60), ["23:00", "03-02", "01:00", "02:00", "03:00"]);
	assert.deepEqual([scale(2, { times: [start, start] }).isBars], [true], "two at the same moment lie side by side");
});
