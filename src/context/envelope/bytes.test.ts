import assert from "node:assert/strict";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { cachedText, segmentsOf } from "./bytes.ts";
import { firstDifference } from "./difference.ts";
import { type EnvelopeInput, makeEnvelope, makeManifest, withUncached } from "./envelope.ts";

const seed = (content: string) => userMessage("s", content, { seed: true });
const segments = (input: EnvelopeInput) => segmentsOf(makeEnvelope(input));
const system = [{ name: "base", text: "You help." }];
const tools = [{ name: "read", description: "reads", parameters: { type: "object" } }];

test("a request is tools, system, options, seed, tail and what is for this request alone, in this order", () => {
	const envelope = withUncached(
		makeEnvelope({
			systemParts: system,
			tools,
			options: { reasoning: "high", maxTokens: 5 },
			messages: [seed("# State"), userMessage("a", "one")],
		}),
		[userMessage("u", "now")],
	);
	assert.deepEqual(
		segmentsOf(envelope).map(({ name, text }) => [name, text]),
		[
			["tools", '{"name":"read","description":"reads","parameters":{"type":"object"}}\n'],
			["system", "You help."],
			["options", '{"reasoning":"high"}\n'],
			["seed", '{"role":"user","content":"# State"}\n'],
			["tail", '{"role":"user","content":"one"}\n'],
			["uncached", '{"role":"user","content":"now"}\n'],
		],
	);
});

test("what a host keeps for itself is no part of the bytes, and neither are ids", () => {
	const bare = segments({ messages: [userMessage("a", "one")] });
	const kept = segments({
		messages: [userMessage("b", "one", { timestamp: 5, usage: { input: 1 }, details: {}, stopReason: "stop" })],
	});
	assert.equal(hashes(kept), hashes(bare));
	assert.notEqual(hashes(segments({ messages: [userMessage("a", "two")] })), hashes(bare));
});

test("the order of keys counts, as it does on the wire", () => {
	const one = segments({ messages: [userMessage("a", [{ type: "text", text: "x" }])] });
	const other = segments({ messages: [userMessage("a", [{ text: "x", type: "text" }])] });
	assert.notEqual(hashes(one), hashes(other));
});

test("a request that grows has no difference; what is uncached does not count", () => {
	const before = segmentsOf(
		withUncached(makeEnvelope({ systemParts: system, messages: [userMessage("a", "one")] }), [userMessage("u", "now")]),
	);
	const after = segments({ systemParts: system, messages: [userMessage("a", "one"), userMessage("b", "two")] });
	assert.equal(firstDifference(before, after), null);
	assert.ok(cachedText(after).startsWith(cachedText(before)));
});

test("the first differing byte is counted in bytes of UTF-8 over the whole request", () => {
	const before = segments({ systemParts: system, messages: [userMessage("a", "検索 one"), userMessage("b", "tail")] });
	const after = segments({ systemParts: system, messages: [userMessage("a", "検索 two"), userMessage("b", "tail")] });
	const byte = Buffer.byteLength('You help.{"role":"user","content":"検索 ');
	const difference = firstDifference(before, after);
	assert.deepEqual([difference?.segment, difference?.byte], ["tail", byte]);
	const a = Buffer.from(cachedText(before));
	const b = Buffer.from(cachedText(after));
	assert.equal(a.subarray(0, byte).compare(b.subarray(0, byte)), 0);
	assert.notEqual(a[byte], b[byte]);
});

test("a byte inside a character beyond the first plane counts from that character's start", () => {
	const before = segments({ systemParts: [{ name: "base", text: "a😀" }] });
	const after = segments({ systemParts: [{ name: "base", text: "a😁" }] });
	assert.equal(firstDifference(before, after)?.byte, 1);
});

test("each kind of change is found in its segment", () => {
	const start = { systemParts: system, tools, messages: [seed("# State"), userMessage("a", "one")] };
	const before = segments(start);
	const changes: readonly [string, EnvelopeInput][] = [
		["tools", { ...start, tools: [] }],
		["system", { ...start, systemParts: [{ name: "base", text: "You build." }] }],
		["options", { ...start, options: { reasoning: "high" } }],
		["seed", { ...start, messages: [seed("# Other"), userMessage("a", "one")] }],
		["tail", { ...start, messages: [seed("# State"), userMessage("a", "two")] }],
		["tail", { ...start, messages: [seed("# State")] }],
	];
	// Without tools the first byte is the system's, and that is where the newer request differs.
	const found = changes.map(([, input]) => firstDifference(before, segments(input))?.segment);
	assert.deepEqual(found, ["system", "system", "options", "seed", "tail", "tail"]);
	assert.equal(firstDifference(before, segments({ ...start, options: { maxTokens: 9, temperature: 0 } })), null);
});

test("a break pays for the shorter of what was sent and what is sent now", () => {
	const long = "x".repeat(32_000);
	const history = [userMessage("a", long), userMessage("b", long), userMessage("c", long)];
	const before = segments({ messages: history });
	const sealed = firstDifference(before, segments({ messages: [seed("y".repeat(3_200)), history[2]!] }));
	assert.ok(sealed!.tokens > 10_990 && sealed!.tokens < 11_050, `${sealed?.tokens} tokens: the seed and what stays`);
	const edited = firstDifference(
		before,
		segments({ messages: [history[0]!, userMessage("b", `z${long}`), history[2]!] }),
	);
	assert.ok(edited!.tokens > 19_990 && edited!.tokens < 20_050, `${edited?.tokens} tokens: from the edit on`);
});

test("a manifest names only the messages that the request before did not have", () => {
	const input = { reasons: [], warm: true };
	const first = segments({ systemParts: system, messages: [userMessage("a", "x".repeat(16_000))] });
	const opening = makeManifest({ ...input, request: "r1", segments: first });
	assert.deepEqual([opening.kept, opening.items.map(({ id }) => id), opening.difference], [0, ["a"], null]);
	assert.deepEqual(opening.predicted, { read: 0, write: first[4]!.tokens + 3, input: 0 });
	const second = segments({
		systemParts: system,
		messages: [userMessage("a", "x".repeat(16_000)), userMessage("b", "two")],
	});
	const next = makeManifest({ ...input, request: "r2", segments: second, last: { segments: first }, model: "m" });
	assert.deepEqual([next.kept, next.items.map(({ id }) => id), next.difference], [1, ["b"], null]);
	assert.deepEqual(next.predicted, { read: opening.predicted.write, write: next.items[0]!.tokens, input: 0 });
	const cold = makeManifest({ ...input, warm: false, request: "r3", segments: second, last: { segments: first } });
	assert.equal(cold.predicted.read, 0);
});

test("a prefix too short for any cache is not expected to be read", () => {
	const first = segments({ messages: [userMessage("a", "short")] });
	const last = { segments: first };
	assert.equal(makeManifest({ request: "r", segments: first, last, reasons: [], warm: true }).predicted.read, 0);
});

function hashes(segments: ReturnType<typeof segmentsOf>): string {
	return segments.map(({ sha256 }) => sha256).join();
}
