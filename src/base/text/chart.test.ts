import assert from "node:assert/strict";
import test from "node:test";
import { formatKilo } from "./bytes.ts";
import { bucket, renderChart } from "./chart.ts";

test("strips share one scale, and an unknown value is empty", () => {
	const lines = [
		...renderChart(
			[
				{ name: "host", values: [10, 20, 30, 40] },
				{ name: "billed", values: [40, null, 5, 0], marks: [" ", "v", " ", " "] },
			],
			{ width: 80, format: formatKilo, unit: "request" },
		),
	];
	assert.deepEqual(lines, [
		"host         █ 40",
		"            ██",
		"           ███",
		"          ████ 0",
		"billed    █    40",
		"          █",
		"          █",
		"          █ ▄  0",
		"           v",
		"          0  3 request",
	]);
});

test("a curve with an end of its own names that, not the top of the scale", () => {
	const lines = [
		...renderChart(
			[
				{ name: "agent", values: [10, 20, 40], end: "$40" },
				{ name: "weft", values: [5, 10, 20], end: "$20" },
				{ name: "none", values: [0, 0, 0], end: "$0" },
			],
			{ width: 80, format: String },
		),
	];
	assert.deepEqual(
		lines.flatMap((line) => line.match(/ (\$\d+|0)$/)?.[1] ?? []),
		["$40", "0", "$20", "0", "$0"],
	);
	assert.match(lines[6] ?? "", /^ +█ \$20$/);
});

test("the axis ends below the last value, and names that have no room there stand apart", () => {
	const axis = (count: number) =>
		[
			...renderChart([{ name: "agent", values: new Array(count).fill(1) }], {
				width: 80,
				format: String,
				ends: ["2026-02-18", count > 1 ? "2026-07-15" : "2026-02-18"],
			}),
		].at(-1);
	assert.equal(axis(30), "          2026-02-18          2026-07-15");
	assert.equal(axis(11), "          2026-02-18 – 2026-07-15");
	assert.equal(axis(1), "          2026-02-18");
});

test("each column of a long session shows its largest request", () => {
	assert.deepEqual(bucket([1, 5, 2, 2, 9, 0], 3), [5, 2, 9]);
	assert.deepEqual(bucket([null, null, 3, null], 2), [null, 3]);
	assert.deepEqual(bucket([7], 20), [7]);
});
