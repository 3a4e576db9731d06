import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/read.ts";
import { claudeCodeWire as wire } from "./claude-code-wire.ts";
import { KeptThinking } from "./kept-thinking.ts";

const said = (text: string) => ({ role: "user", content: text });
const thought = (signature: string) => ({
	role: "assistant",
	content: [
		{ type: "thinking", thinking: "hm", signature },
		{ type: "text", text: `after ${signature}` },
	],
});

function request(messages: readonly JsonObject[], model = "claude-opus-5-5"): JsonObject {
	return { model, thinking: { type: "adaptive" }, messages };
}

/** The signatures that leave with the request. */
function sent(kept: KeptThinking, body: JsonObject): string[] {
	const bound = wire.boundThinking?.(body);
	if (!bound) return signaturesIn(body);
	return signaturesIn(
		bound.without(kept.of(bound.signatures, (seed) => bound.texts().some((text) => text.includes(seed)))),
	);
}

function signaturesIn(body: JsonObject): string[] {
	return JSON.stringify(body)
		.matchAll(/"signature":"(\w+)"/g)
		.map(([, signature = ""]) => signature)
		.toArray();
}

test("the turn that an agent kept across a compaction loses its thinking in every later request, and no other does", () => {
	const kept = new KeptThinking();
	kept.begin();
	const before = [said("go"), thought("s1"), said("on"), thought("s2")];
	assert.deepEqual(sent(kept, request(before)), ["s1", "s2"]);
	kept.expect("THE SEED");
	assert.deepEqual(sent(kept, request(before)), ["s1", "s2"], "the agent has not taken the seed yet");
	const after = [said("Summary: THE SEED"), thought("s2"), said("and?")];
	assert.deepEqual(sent(kept, request(after)), []);
	assert.deepEqual(sent(kept, request(after)), [], "tried again");
	const later = [...after, thought("s3"), said("then?")];
	assert.deepEqual(sent(kept, request(later)), ["s3"]);
	kept.expect("ANOTHER");
	assert.deepEqual(sent(kept, request([said("ANOTHER"), thought("s3"), said("so?")])), []);
});

test("where the agent kept no thinking, all that comes after the seed is sent", () => {
	const kept = new KeptThinking();
	kept.begin();
	kept.expect("THE SEED");
	const first = [said("Summary: THE SEED"), said("and?")];
	assert.deepEqual(sent(kept, request(first)), []);
	const second = [...first, thought("s1"), said("then?")];
	assert.deepEqual(sent(kept, request(second)), ["s1"]);
	assert.deepEqual(sent(kept, request([...second, thought("s2"), said("so?")])), ["s1", "s2"]);
});

test("a model that does not bind its thinking keeps it", () => {
	const kept = new KeptThinking();
	kept.expect("THE SEED");
	const body = request([said("THE SEED"), thought("s1"), said("and?")], "claude-sonnet-4-5");
	assert.deepEqual(sent(kept, body), ["s1"]);
});

test("after a start it is possible until the log has said what was kept", () => {
	const kept = new KeptThinking();
	assert.deepEqual([kept.isUnknown, kept.isPossible], [true, true]);
	kept.begin(new Set(["s1"]));
	assert.deepEqual([kept.isUnknown, kept.isPossible], [false, true]);
	assert.deepEqual(sent(kept, request([said("x"), thought("s1"), thought("s2")])), ["s2"]);
	kept.begin();
	assert.deepEqual([kept.isUnknown, kept.isPossible], [false, false]);
});
