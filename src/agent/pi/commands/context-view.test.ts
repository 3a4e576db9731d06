import assert from "node:assert/strict";
import { test } from "node:test";
import { type ContextView, renderContextView } from "./context-view.ts";

const VIEW: ContextView = {
	mode: "woven",
	model: "some-model",
	window: 100_000,
	ceiling: 50_000,
	categories: [
		{ name: "System prompt", tokens: 5_000 },
		{ name: "System tools", tokens: 10_000 },
		{ name: "MCP tools", tokens: 0 },
		{ name: "Messages", tokens: 15_000 },
	],
	items: [
		{ what: "seed", tokens: 9_000, why: "replaces everything before it", handle: "e-12" },
		{ what: "toolResult", tokens: 6_000, why: "raw, since the last seal", handle: "m-14" },
	],
	seals: ["ceiling: 52000 → 15000 tokens (e-12)"],
	lastBreak: "sealed in seed at byte 40000, 9000 tokens paid again (e-13)",
};

test("a context is a bar, its categories, its largest items with their reason, its seals and its last break", () => {
	assert.equal(
		renderContextView(VIEW),
		`some-model · mode woven · about 30,000 of 100,000 tokens (30.0 %), sealed at 50,000 at the latest.
███▓▓▓▓▓▓▒▒▒▒▒▒▒▒▒··········································

█  System prompt   5,000   5.0 %
▓  System tools   10,000  10.0 %
▒  Messages       15,000  15.0 %
·  Free space     70,000  70.0 %

2 items in Messages, the largest:
  9,000  seed        e-12  replaces everything before it
  6,000  toolResult  m-14  raw, since the last seal

Seals: 1, the last ones:
  ceiling: 52000 → 15000 tokens (e-12)
Last break: sealed in seed at byte 40000, 9000 tokens paid again (e-13)`,
	);
});

test("a context larger than its window leaves no free space, and the bar keeps its length", () => {
	const categories = [
		{ name: "System prompt", tokens: 1 },
		{ name: "Messages", tokens: 250_000 },
	];
	const [, bar, , ...rows] = renderContextView({
		...VIEW,
		categories,
		items: [],
		seals: [],
		lastBreak: undefined,
	}).split("\n");
	assert.equal(bar!.length, 60);
	assert.match(rows.join("\n"), /Free space +0 +0\.0 %/);
	assert.match(rows.join("\n"), /Seals: none yet\nLast break: none: the cache has held$/);
});

test("the budget of the computed context is shown, where there is one", () => {
	const head = (view: ContextView) => renderContextView(view).split("\n")[0]!;
	assert.match(head({ ...VIEW, budget: 7_084 }), /, computed within 7,084\.$/);
	assert.doesNotMatch(head(VIEW), /computed within/);
});
