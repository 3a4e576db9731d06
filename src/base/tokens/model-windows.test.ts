import assert from "node:assert/strict";
import { test } from "node:test";
import { windowOfModel } from "./model-windows.ts";

test("a model has the window that its provider published", () => {
	const windows = ["anthropic/claude-opus-4-5-20251101", "claude-opus-4-7", "claude-sonnet-4-5[1m]", "gpt-5.5"].map(
		(model) => windowOfModel(model),
	);
	assert.deepEqual(windows, [
		{ tokens: 200_000, isAssumed: false },
		{ tokens: 1_000_000, isAssumed: false },
		{ tokens: 1_000_000, isAssumed: false },
		{ tokens: 272_000, isAssumed: false },
	]);
});

test("an unknown model has an assumed window, and a longer prompt widens any window", () => {
	assert.deepEqual(windowOfModel("some-model"), { tokens: 200_000, isAssumed: true });
	assert.deepEqual(windowOfModel(null), { tokens: 200_000, isAssumed: true });
	assert.deepEqual(windowOfModel("claude-opus-4-6", 240_000), { tokens: 1_000_000, isAssumed: true });
});
