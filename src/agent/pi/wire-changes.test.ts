import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEnvelope } from "../../context/envelope/envelope.ts";
import type { ReasoningModel } from "../../message/dialect/reasoning-level.ts";
import { changeWire } from "./wire-changes.ts";

const tool = (name: string, description = name) => ({ name, description, parameters: {} });
const base = makeEnvelope({
	systemParts: [{ name: "prompt", text: "Be brief." }],
	tools: [tool("read"), tool("write")],
});
const made = makeEnvelope({
	systemParts: [
		{ name: "prompt", text: "Be brief." },
		{ name: "policy", text: " Be kind." },
	],
	tools: [tool("read", "reads")],
	options: { temperature: 0.5, maxTokens: 100, reasoning: "low" },
});

test("Anthropic: the text keeps its block and its mark, tools go, options are set", () => {
	const payload = {
		system: [{ type: "text", text: "Be brief.", cache_control: {} }],
		tools: [
			{ name: "read", description: "read", input_schema: {} },
			{ name: "write", description: "write", input_schema: {} },
		],
		messages: [],
		max_tokens: 8_192,
	};
	assert.deepEqual(changeWire(payload, { base, made }), {
		system: [{ type: "text", text: "Be brief. Be kind.", cache_control: {} }],
		tools: [{ name: "read", description: "reads", input_schema: {} }],
		messages: [],
		max_tokens: 2_048,
		thinking: { type: "enabled", budget_tokens: 1_024, display: "summarized" },
	});
});

test("tools are sent in the order of their definitions, with their schemas; the mark for the cache stays at the end", () => {
	const parameters = { type: "object", properties: { path: { type: "string" } } };
	const wanted = makeEnvelope({
		systemParts: base.system.parts,
		tools: [tool("write"), { name: "read", description: "reads", parameters }, tool("fly")],
	});
	const payload = {
		system: "Be brief.",
		tools: [
			{ type: "web_search_20250305" },
			{ name: "read", description: "read", input_schema: { type: "object" } },
			{ name: "write", description: "write", input_schema: { type: "object" }, cache_control: {} },
		],
	};
	assert.deepEqual(changeWire(payload, { base, made: wanted }), {
		system: "Be brief.",
		tools: [
			{ type: "web_search_20250305" },
			{ name: "write", description: "write", input_schema: { type: "object" } },
			{ name: "read", description: "reads", input_schema: parameters, cache_control: {} },
		],
	});
});

test("how much to think is said in the form of each provider", () => {
	const anthropic = { api: "anthropic-messages", reasoning: true };
	const openai = { api: "openai-completions", reasoning: true };
	const changed = (request: object, reasoning: string, model: ReasoningModel) =>
		changeWire(request, { base, made: { ...base, options: { reasoning } }, model });
	const enabled = { type: "enabled", budget_tokens: 8_192, display: "omitted" };
	assert.deepEqual(changed({ max_tokens: 32_000, temperature: 1, thinking: enabled }, "high", anthropic), {
		max_tokens: 32_000,
		thinking: { ...enabled, budget_tokens: 16_384 },
	});
	assert.deepEqual(changed({ thinking: { type: "adaptive" }, output_config: { effort: "high" } }, "low", anthropic), {
		thinking: { type: "adaptive" },
		output_config: { effort: "low" },
	});
	assert.deepEqual(changed({ thinking: enabled }, "off", anthropic), { thinking: { type: "disabled" } });
	assert.deepEqual(changed({}, "high", { ...openai, thinkingLevelMap: { high: "xtra" } }), {
		reasoning_effort: "xtra",
	});
	assert.deepEqual(changed({ reasoning_effort: "high" }, "off", openai), {});
	assert.deepEqual(changed({ reasoning: { effort: "high" } }, "low", openai), { reasoning: { effort: "low" } });
	const plain = { max_tokens: 5 };
	assert.equal(changed(plain, "high", { ...openai, reasoning: false }), plain);
});

test("OpenAI: the text is a message, a tool a function", () => {
	const payload = {
		messages: [
			{ role: "system", content: "Be brief." },
			{ role: "user", content: "Be brief." },
		],
		tools: [{ type: "function", function: { name: "read", description: "read", parameters: {} } }],
		max_completion_tokens: 8_192,
		reasoning_effort: "high",
	};
	assert.deepEqual(changeWire(payload, { base, made }), {
		messages: [
			{ role: "system", content: "Be brief. Be kind." },
			{ role: "user", content: "Be brief." },
		],
		tools: [{ type: "function", function: { name: "read", description: "reads", parameters: {} } }],
		max_completion_tokens: 100,
		reasoning_effort: "low",
		temperature: 0.5,
	});
});

test("without changes by handlers the payload stays the same object", () => {
	const payload = { system: "Be brief.", messages: [] };
	assert.equal(changeWire(payload, { base, made: base }), payload);
	assert.equal(changeWire("odd", { base, made }), "odd");
});

test("text with a dollar sign is put in as it is", () => {
	const dollars = makeEnvelope({ systemParts: [{ name: "prompt", text: "$& and $1" }], tools: base.tools });
	assert.deepEqual(changeWire({ system: "Be brief." }, { base, made: { ...dollars, tools: base.tools } }), {
		system: "$& and $1",
	});
});
