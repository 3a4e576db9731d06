import assert from "node:assert/strict";
import { test } from "node:test";
import { loadBenchmarks } from "./bench.ts";

test("benchmarks are loaded from a checkout, and where they are not shipped it says so", async () => {
	assert.equal(typeof (await loadBenchmarks()).runBench, "function");
	const elsewhere = new URL("nowhere/bench/run.ts", import.meta.url);
	await assert.rejects(loadBenchmarks(elsewhere), {
		message: /not part of the installed package\. They run from a checkout/,
	});
});
