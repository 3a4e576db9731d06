import assert from "node:assert/strict";
import { test } from "node:test";
import { truncateUnits } from "../text/truncate.ts";
import { estimateTokens } from "../tokens/estimate.ts";
import { weighWire } from "./weigh-wire.ts";

const text = (value: string): object => ({ role: "user", content: [{ type: "text", text: value }] });
const BASE64 = "iVBORw0KGgo".repeat(5_000);

test("case 27: the arguments of a call count, though they are no text", () => {
	const call = (args: object): object => ({
		role: "assistant",
		content: [{ type: "toolCall", id: "a", name: "write", arguments: args }],
	});
	const more = weighWire(call({ path: "x", content: "y".repeat(3_200) })) - weighWire(call({}));
	assert.ok(more >= 1_000 && more < 1_010, `${more}`);
	const openai = {
		role: "assistant",
		tool_calls: [{ id: "a", function: { name: "write", arguments: JSON.stringify({ content: "y".repeat(3_200) }) } }],
	};
	assert.ok(weighWire(openai) > 1_000);
});

test("case 28: a picture weighs 1,600 whatever its bytes, base64 inside a text counts in full", () => {
	const pictures = [
		{ type: "image", data: BASE64, mimeType: "image/png" },
		{ type: "image", source: { type: "base64", media_type: "image/png", data: BASE64 } },
		{ type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } },
	];
	for (const picture of pictures) assert.equal(weighWire({ role: "user", content: [picture] }), 1_604);
	assert.ok(weighWire(text(BASE64)) > estimateTokens(BASE64));
});

test("case 29: a cyclic object does not throw, and neither does a very deep one", () => {
	const cyclic: Record<string, unknown> = { role: "user", content: "hello" };
	cyclic["self"] = cyclic;
	assert.ok(weighWire(cyclic) > 0);
	let deep: unknown = "end";
	for (let level = 0; level < 10_000; level++) deep = { deep };
	assert.ok(weighWire(deep) > 0);
});

test("case 30: cutting a text never splits a surrogate pair", () => {
	for (let at = 1; at <= 6; at++) assert.ok(truncateUnits("😀😀😀", at).isWellFormed());
});
