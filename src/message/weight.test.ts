import assert from "node:assert/strict";
import { test } from "node:test";
import { cutWithEllipsis } from "../base/text/cut.ts";
import { estimateTokens } from "../base/tokens/estimate.ts";
import { viewMessage } from "./view.ts";
import { IMAGE_TOKENS, weighMessage, weighWire } from "./weight.ts";

const text = (value: string): object => ({ role: "user", content: [{ type: "text", text: value }] });
const BASE64 = "iVBORw0KGgo".repeat(5_000);
const EMPTY = 4;

test("case 27: the arguments of a call count as JSON, and so does the tool's name", () => {
	const input = { path: "x", content: 'say "y"\n'.repeat(400) };
	const call = { role: "assistant", content: [{ type: "toolCall", id: "a", name: "write", arguments: input }] };
	const wanted = EMPTY + estimateTokens("write") + estimateTokens(JSON.stringify(input));
	assert.equal(weighWire(call, "pi"), wanted);
	const use = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "write", input }] };
	assert.equal(weighWire(use, "anthropic"), wanted);
	const fn = { name: "write", arguments: JSON.stringify(input) };
	const openai = { role: "assistant", content: null, tool_calls: [{ id: "a", type: "function", function: fn }] };
	assert.equal(weighWire(openai, "openai"), wanted);
});

test("the same message weighs the same in every form, whatever its ids and signatures", () => {
	const thought = { type: "thinking", thinking: "Let me see what is there." };
	const said = { type: "text", text: "I look." };
	const pi = { role: "assistant", content: [{ ...thought, thinkingSignature: "x".repeat(900) }, said] };
	const anthropic = { role: "assistant", content: [{ ...thought, signature: "y" }, said] };
	const openai = { role: "assistant", reasoning: thought.thinking, content: "I look." };
	const wanted = EMPTY + estimateTokens(thought.thinking) + estimateTokens("I look.");
	assert.deepEqual(
		[weighWire(pi, "pi"), weighWire(anthropic, "anthropic"), weighWire(openai, "openai")],
		[wanted, wanted, wanted],
	);
	const result = { role: "toolResult", toolCallId: "a", toolName: "read", content: "text" };
	const block = { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "text" }] };
	assert.equal(weighWire(result, "pi"), weighWire({ role: "user", content: [block] }, "anthropic"));
});

test("a result counts with our notes, a summary and a command with the words that Pi puts around them", () => {
	const result = (words: string): object => ({ role: "toolResult", toolCallId: "a", content: words });
	const noted = "text\n\n[weft] changed on disk since";
	assert.equal(weighWire(result(noted), "pi"), EMPTY + estimateTokens(noted));
	const view = viewMessage({ form: "pi", raw: { type: "compaction", summary: "short" } });
	assert.equal(weighMessage(view), EMPTY + estimateTokens(view.shown!));
	assert.ok(weighMessage(view) > EMPTY + 30);
	const ran = { role: "bashExecution", command: "ls", output: "a" };
	assert.equal(weighWire(ran, "pi"), EMPTY + estimateTokens("Ran `ls`\n```\na\n```"));
});

test("what the host does not send weighs nothing", () => {
	const aborted = { role: "assistant", content: [{ type: "text", text: "Let me" }], stopReason: "aborted" };
	assert.equal(weighWire(aborted, "pi"), 0);
	assert.equal(weighWire({ role: "bashExecution", command: "ls", excludeFromContext: true }, "pi"), 0);
});

test("case 28: a picture weighs 1,600 whatever its bytes, base64 inside a text counts in full", () => {
	const piPicture = { type: "image", data: BASE64, mimeType: "image/png" };
	const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } };
	const url = { type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } };
	const wanted = EMPTY + IMAGE_TOKENS;
	assert.equal(weighWire({ role: "user", content: [piPicture] }, "pi"), wanted);
	assert.equal(weighWire({ role: "user", content: [picture] }, "anthropic"), wanted);
	assert.equal(weighWire({ role: "user", content: [url] }, "openai"), wanted);
	assert.equal(weighWire({ role: "toolResult", toolCallId: "a", content: [piPicture] }, "pi"), wanted);
	const result = { type: "tool_result", tool_use_id: "a", content: [picture] };
	assert.equal(weighWire({ role: "user", content: [result] }, "anthropic"), wanted);
	assert.ok(weighWire(text(BASE64), "pi") > estimateTokens(BASE64));
});

test("case 29: a cyclic object does not throw, and neither does a very deep one", () => {
	const cyclic: Record<string, unknown> = { role: "user", content: "hello" };
	cyclic["self"] = cyclic;
	cyclic["more"] = cyclic;
	assert.equal(weighWire(cyclic, "pi"), EMPTY + 2);
	let deep: unknown = "end";
	for (let level = 0; level < 10_000; level++) deep = { deep };
	for (const odd of [cyclic, deep]) {
		const call = { type: "toolCall", id: "a", name: "x", arguments: odd };
		assert.ok(weighWire({ role: "assistant", content: [call, { type: "odd", odd }] }, "pi") > 0);
	}
});

test("case 30: cutting a text never splits a surrogate pair", () => {
	for (let at = 1; at <= 6; at++) assert.ok(cutWithEllipsis("😀😀😀", at).isWellFormed());
});
