import assert from "node:assert/strict";
import { test } from "node:test";
import { readThinkingSwitch, type ThinkingRule, thinkingRule } from "./thinking-rules.ts";

const cases: readonly (readonly [ThinkingRule, readonly string[]])[] = [
	[
		"bound",
		[
			"claude-fable-5-1",
			"claude-fable-5.2",
			"claude-mythos-5-1-20260901",
			"claude-opus-5-5",
			"anthropic/claude-sonnet-5-5",
			"us.anthropic.claude-haiku-5-5-20261001-v1:0",
			"claude-opus-6",
			"claude-opus-5-10",
			"claude-saga-1",
			"opus",
			"something-new",
		],
	],
	[
		"keep",
		[
			"claude-opus-5",
			"claude-opus-4-8",
			"claude-sonnet-4-5-20250929",
			"claude-sonnet-4-20250514",
			"claude-3-7-sonnet-20250219",
			"claude-haiku-4-5@20251001",
			"claude-fable-5",
			"gpt-6.1-sol",
			"openai/gpt-5",
			"o3",
			"gemini-3-pro",
			"openrouter/z-ai/glm-5",
		],
	],
];

test("each model has its rule; an unknown one counts as one that binds", () => {
	for (const [rule, models] of cases) for (const model of models) assert.equal(thinkingRule({ model }), rule, model);
	assert.equal(thinkingRule({ model: undefined }), "bound");
});

test("an unknown model of another provider's API keeps its reasoning", () => {
	for (const api of ["openai-completions", "openai-responses", "google-generative-ai", "mistral-conversations"])
		assert.equal(thinkingRule({ model: "local", api }), "keep", api);
	assert.equal(thinkingRule({ model: "local", api: "anthropic-messages" }), "bound");
});

test("manual thinking of an unknown model keeps the newest turn's; a known one that binds does not", () => {
	assert.equal(thinkingRule({ model: "local", thinking: "manual" }), "manual");
	assert.equal(thinkingRule({ model: "claude-opus-5-5", thinking: "manual" }), "bound");
	assert.equal(thinkingRule({ model: "claude-sonnet-4-5", thinking: "manual" }), "keep");
});

test("older and unknown models get no thinking while it is off", () => {
	assert.equal(thinkingRule({ model: "claude-sonnet-4-5", thinking: "off" }), "off");
	assert.equal(thinkingRule({ model: "local", thinking: "off" }), "off");
	assert.equal(thinkingRule({ model: "claude-opus-4-6", thinking: "off" }), "keep");
	assert.equal(thinkingRule({ model: "claude-opus-5-5", thinking: "off" }), "bound");
});

test("reads the switch of a request", () => {
	assert.equal(readThinkingSwitch({ thinking: { type: "enabled", budget_tokens: 1_024 } }), "manual");
	assert.equal(readThinkingSwitch({ thinking: { type: "adaptive" } }), "adaptive");
	assert.equal(readThinkingSwitch({ thinking: { type: "disabled" } }), "off");
	assert.equal(readThinkingSwitch({}), "off");
});
