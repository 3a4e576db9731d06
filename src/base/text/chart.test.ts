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
		"          0                  3 request",
	]);
});

test("each column of a long session shows its largest request", () => {
	assert.deepEqual(bucket([1, 5, 2, 2, 9, 0], 3), [5, 2, 9]);
	assert.deepEqual(bucket([null, null, 3, null], 2), [null, 3]);
	assert.deepEqual(bucket([7], 20), [7]);
});
