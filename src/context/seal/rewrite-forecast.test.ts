import assert from "node:assert/strict";
import { test } from "node:test";
import { isSameModel } from "./rewrite-forecast.ts";

test("a newer model, or a smaller one of the family, has a cache of its own; provider, date and window do not matter", () => {
	for (const [one, other] of [
		["claude-sonnet-5", "claude-sonnet-5-5"],
		["gpt-5.4", "gpt-5.4-mini"],
		["claude-opus-4-6", "claude-opus-5"],
	] as const) {
		assert.equal(isSameModel(one, other), false, `${one}, ${other}`);
	}
	for (const [one, other] of [
		["anthropic/claude-opus-5-5", "claude-opus-5-5[1m]"],
		["claude-haiku-4-5-20251001", "claude-haiku-4-5"],
		["claude-haiku-4-5@20251001", "claude-haiku-4-5-latest"],
		["gpt-6-2026-09-01", "openai/gpt-6"],
		["us.anthropic.claude-opus-5-5-20260922-v1:0", "claude-opus-5-5-20260922"],
		["claude-sonnet-5-5@default", "claude-sonnet-5-5"],
	] as const) {
		assert.equal(isSameModel(one, other), true, `${one}, ${other}`);
	}
});
