import assert from "node:assert/strict";
import { test } from "node:test";
import { renderContextView } from "./context-view.ts";

const VIEW = { mode: "warp", model: "m", window: 32_000, categories: [], items: [], seals: [], lastBreak: undefined };

test("/context shows the budget of the computed context, where there is one", () => {
	assert.match(renderContextView({ ...VIEW, budget: 7_084 }), /^m · mode warp · .*, computed within 7,084\.\n/);
	assert.doesNotMatch(renderContextView({ ...VIEW, mode: "woven" }), /computed within/);
});
