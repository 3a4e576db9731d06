import assert from "node:assert/strict";
import { test } from "node:test";
import { makeEnvelope } from "../../context/envelope/envelope.ts";
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
		max_tokens: 100,
		temperature: 0.5,
	});
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

test("what no handler changed is the payload itself", () => {
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
