import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/read.ts";
import { CodexTranslator } from "../codex/translate.ts";
import { codexWire as wire } from "./codex-wire.ts";
import { passedManifest, sizeRequest } from "./manifest.ts";

const user = (text: string): JsonObject => ({ type: "message", role: "user", content: [{ type: "input_text", text }] });
const call = (id: string): JsonObject => ({
	type: "function_call",
	call_id: id,
	name: "exec_command",
	arguments: "{}",
});
const output = (id: string): JsonObject => ({ type: "function_call_output", call_id: id, output: "done" });
const TURN = { "x-codex-turn-metadata": '{"request_kind":"turn"}' };
const COMPACTS = { "x-codex-turn-metadata": '{"request_kind":"compaction"}' };
const CHECKPOINT = user("You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.");

function eventsOf(body: string): JsonObject[] {
	return body.split("\n\n").flatMap((event) => {
		const data = /^data: (.*)$/m.exec(event)?.[1];
		return data === undefined ? [] : [JSON.parse(data) as JsonObject];
	});
}

test("knows both ways in which Codex compacts, and nothing else for one", () => {
	const history = [user("go"), call("c1"), output("c1"), call("c2"), output("c2")];
	const text = wire.readCompaction({ input: [...history, CHECKPOINT] }, COMPACTS)!;
	assert.deepEqual([[...text.calls], text.newestResult], [["c1", "c2"], "c2"]);
	assert.ok(wire.readCompaction({ tools: [{}], input: [...history, { type: "compaction_trigger" }] }, TURN));
	// Words that somebody quotes.
	assert.equal(wire.readCompaction({ input: [...history, CHECKPOINT] }, TURN), undefined);
	assert.equal(wire.readCompaction({ input: [CHECKPOINT, ...history] }, COMPACTS), undefined);
	assert.equal(wire.readCompaction({ input: [{ type: "compaction_trigger" }, ...history] }, TURN), undefined);
});

test("the request's metadata says who compacts, and its size says nothing", () => {
	const by = (compaction: JsonObject) => {
		const headers = { "x-codex-turn-metadata": JSON.stringify({ request_kind: "compaction", ...compaction }) };
		return wire.readCompaction({ input: [user("go"), CHECKPOINT] }, headers)?.by;
	};
	assert.equal(by({ compaction: { trigger: "manual", phase: "standalone_turn" } }), "user");
	assert.equal(by({ compaction: { trigger: "auto", reason: "context_limit" } }), "agent");
	assert.equal(by({}), undefined);
});

test("the opaque item holds the seed: the provider gets its text, and an import reads it", () => {
	const seed = "the work so far — ünïcode\n</summary>";
	const trigger = { tools: [{}], stream: true, model: "gpt", input: [user("go"), { type: "compaction_trigger" }] };
	const events = eventsOf(wire.readCompaction(trigger, TURN)!.answer(seed).body);
	const done = events.filter(({ type }) => type === "response.output_item.done");
	assert.equal(done.length, 1, "exactly one item");
	const item = done[0]!["item"] as JsonObject;
	assert.equal(item["type"], "compaction");
	const body = { model: "gpt", input: [user("go"), item, user("on")], store: false };
	assert.deepEqual(wire.openSeeds!(body), { ...body, input: [user("go"), user(seed), user("on")] });
	assert.equal(wire.openSeeds!({ input: [{ type: "compaction", encrypted_content: "gAAA" }] }), undefined);
	assert.ok(wire.signs.some((sign) => Buffer.from(JSON.stringify(body)).includes(sign)));

	const translator = new CodexTranslator("t");
	const line = {
		type: "compacted",
		timestamp: "2026-01-01T00:00:00Z",
		payload: { replacement_history: [user("go"), item] },
	};
	const made = translator.translate(line, JSON.stringify(line)).find(({ entry }) => entry?.startsWith("compaction "));
	assert.match(made!.raw!, /the work so far/);
});

test("a text answer is a whole stream that ends with its usage", () => {
	const asked = { tools: [], stream: true, model: "gpt", input: [user("go"), CHECKPOINT] };
	const events = eventsOf(wire.readCompaction(asked, COMPACTS)!.answer("the seed").body);
	assert.deepEqual(
		events.map(({ sequence_number }) => sequence_number),
		events.map((_, at) => at),
	);
	assert.equal(events.find(({ type }) => type === "response.output_text.delta")!["delta"], "the seed");
	assert.deepEqual(wire.readEvent(events.at(-1)!)!.usage, { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 });
});

test("raised usage is told as read from the cache, so that it can be taken out again", () => {
	const usage = { input_tokens: 100, input_tokens_details: { cached_tokens: 40 }, output_tokens: 5, total_tokens: 105 };
	const data = { type: "response.completed", response: { id: "r", usage } };
	const before = wire.readEvent(data)!.usage!;
	const after = wire.readEvent(wire.raiseUsage(data, 1_000, before))!.usage!;
	assert.deepEqual(after, { ...before, cacheRead: before.cacheRead + 1_000 });
});

test("a manifest says what a request shares with the one before", () => {
	const of = { request: "r", model: "gpt", reason: "the host compacted" };
	const first = sizeRequest(["tools"], [user("go"), call("1")]);
	const longer = sizeRequest(["tools"], [user("go"), call("1"), output("1")]);
	const other = sizeRequest(["tools"], [user("go"), user("seed")]);
	const grown = passedManifest(of, longer, first);
	assert.deepEqual([grown.kept, grown.items.length, grown.difference, grown.reasons], [2, 1, null, []]);
	const broken = passedManifest(of, other, longer);
	assert.deepEqual([broken.kept, broken.difference?.segment, broken.reasons], [1, "tail", ["the host compacted"]]);
});
