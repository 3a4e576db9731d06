import assert from "node:assert/strict";
import { test } from "node:test";
import { userMessage } from "../../../test/rig/envelope-message.ts";
import { type ContextEnvelope, type EnvelopeMessage, hostMessages, makeEnvelope } from "../envelope/envelope.ts";
import { applyPatch } from "./patch.ts";
import type { ContextReason } from "./transform.ts";

const WHY = { invalidateCacheReason: "test" };

function envelope(): ContextEnvelope {
	return makeEnvelope({
		systemParts: [
			{ name: "base", text: "You help." },
			{ name: "skills", text: "\nSkills." },
		],
		tools: [
			{ name: "read", description: "reads", parameters: { type: "object" } },
			{ name: "bash", description: "runs", parameters: { type: "object" } },
		],
		messages: [userMessage("a", "one"), userMessage("b", "two"), userMessage("c", "three")],
		options: { reasoning: "low", maxTokens: 100 },
	});
}

function patched(...ops: readonly object[]): ContextEnvelope {
	return applyPatch(envelope(), ops, "ephemeral").envelope;
}

function refused(ops: readonly unknown[], message: RegExp, reason: ContextReason = "ephemeral"): void {
	const before = envelope();
	const copy = structuredClone(before);
	assert.throws(() => applyPatch(before, ops, reason), { code: "refused", message });
	assert.deepEqual(before, copy);
}

const ids = (list: readonly EnvelopeMessage[]): string[] => list.map(({ id }) => id);

test("system parts are compiled without separators", () => {
	assert.equal(envelope().system.compiled, "You help.\nSkills.");
});

test("system_part_set changes a part in place, and puts a new one at the end", () => {
	const next = patched(
		{ op: "system_part_set", scope: "cached", partName: "base", text: "You build.", ...WHY },
		{ op: "system_part_set", scope: "cached", partName: "policy", text: "\nNo secrets.", ...WHY },
	);
	assert.deepEqual(next.system, {
		parts: [
			{ name: "base", text: "You build." },
			{ name: "skills", text: "\nSkills." },
			{ name: "policy", text: "\nNo secrets." },
		],
		compiled: "You build.\nSkills.\nNo secrets.",
	});
});

test("system_part_remove takes a part out, and refuses one that is not there", () => {
	assert.equal(
		patched({ op: "system_part_remove", scope: "cached", partName: "base", ...WHY }).system.compiled,
		"\nSkills.",
	);
	refused([{ op: "system_part_remove", scope: "cached", partName: "x", ...WHY }], /no system part 'x'/);
});

test("system_parts_replace refuses a duplicate name", () => {
	const parts = [{ name: "only", text: "Hello." }];
	assert.deepEqual(patched({ op: "system_parts_replace", scope: "cached", parts, ...WHY }).system.parts, parts);
	refused(
		[{ op: "system_parts_replace", scope: "cached", parts: [...parts, ...parts], ...WHY }],
		/Duplicate system part 'only'/,
	);
});

test("tools are replaced as definitions, and removed by name; a name that is not there changes nothing", () => {
	const tools = [{ name: "edit", description: "edits", parameters: {} }];
	assert.deepEqual(patched({ op: "tools_replace", scope: "cached", tools, ...WHY }).tools, tools);
	const left = patched({ op: "tools_remove", scope: "cached", toolNames: ["bash", "nothing"], ...WHY }).tools;
	assert.deepEqual(
		left.map(({ name }) => name),
		["read"],
	);
});

test("options_set sets some, unsets others, and refuses both at once", () => {
	const next = patched({ op: "options_set", scope: "cached", temperature: 0.5, unset: ["reasoning"], ...WHY });
	assert.deepEqual(next.options, { maxTokens: 100, temperature: 0.5 });
	refused([{ op: "options_set", scope: "cached", maxTokens: 1, unset: ["maxTokens"], ...WHY }], /sets and unsets/);
});

test("messages_cached_replace that begins with all present messages is an append and needs no reason", () => {
	const before = envelope();
	const messages = [...before.messages.cached, { role: "user", content: "four" }];
	const result = applyPatch(before, [{ op: "messages_cached_replace", scope: "cached", messages }], "before_request");
	assert.deepEqual([result.cacheInvalidated, result.invalidateCacheReasons], [false, []]);
	assert.deepEqual(
		result.envelope.messages.cached.map((message) => message["content"]),
		["one", "two", "three", "four"],
	);
	const [op] = result.ops;
	assert.ok(op?.op === "messages_cached_replace");
	assert.deepEqual([op.keepThroughId, op.messages.length], ["c", 1], "only what is new is stored");
});

test("messages_cached_replace that changes a sent byte needs a reason", () => {
	const messages = [userMessage("a", "one"), userMessage("b", "TWO"), userMessage("c", "three")];
	const op = { op: "messages_cached_replace", scope: "cached", messages };
	refused(
		[op],
		/^Context patch op "messages_cached_replace" modifies cached content but did not provide invalidateCacheReason$/,
	);
	refused([{ ...op, invalidateCacheReason: "  " }], /did not provide invalidateCacheReason/);
	const result = applyPatch(envelope(), [{ ...op, invalidateCacheReason: " shout " }], "turn_end");
	assert.deepEqual([result.cacheInvalidated, result.invalidateCacheReasons], [true, ["shout"]]);
	assert.deepEqual(result.envelope.messages.cached, messages);
});

test("a replacement that takes the newest message away is no append", () => {
	refused(
		[{ op: "messages_cached_replace", scope: "cached", messages: [userMessage("a", "one")] }],
		/invalidateCacheReason/,
	);
});

test("messages without an id get one from their content, the same each time, and never a taken one", () => {
	const append = {
		op: "messages_uncached_append",
		scope: "uncached",
		messages: [
			{ role: "user", content: "x" },
			{ role: "user", content: "x" },
		],
	};
	const [first, second] = patched(append).messages.uncached;
	assert.match(first!.id, /^x-[0-9a-f]{16}$/);
	assert.equal(second!.id, `${first!.id}.2`);
	assert.deepEqual(patched(append), patched(append));
});

test("tail_set replaces what is said last, so that it never piles up", () => {
	const say = (content: string): object => ({
		op: "tail_set",
		scope: "uncached",
		messages: [{ id: content, role: "user", content }],
	});
	assert.deepEqual(ids(patched(say("now"), say("later")).messages.uncached), ["later"]);
});

test("items_drop takes messages out by id, and a stub stands for them", () => {
	assert.deepEqual(ids(patched({ op: "items_drop", scope: "cached", ids: ["a", "c"], ...WHY }).messages.cached), ["b"]);
	const { cached } = patched({
		op: "items_drop",
		scope: "cached",
		ids: ["a", "b"],
		stub: "two left: m-1",
		...WHY,
	}).messages;
	assert.deepEqual(
		cached.map((message) => message["content"]),
		["two left: m-1", "three"],
	);
	refused([{ op: "items_drop", scope: "cached", ids: ["a", "zz"], ...WHY }], /no cached message 'zz'/);
});

test("item_replace keeps the id", () => {
	const next = patched({
		op: "item_replace",
		scope: "cached",
		id: "b",
		message: { role: "user", content: "zwei" },
		...WHY,
	});
	assert.deepEqual(next.messages.cached[1], userMessage("b", "zwei"));
});

test("compaction_apply puts a summary in place of everything before the first kept message", () => {
	const op = { op: "compaction_apply", scope: "cached", summary: "Was short.", timestamp: 7, tokensBefore: 9, ...WHY };
	const { cached } = patched({ ...op, firstKeptMessageId: "c" }).messages;
	assert.deepEqual(ids(cached).slice(1), ["c"]);
	assert.equal(cached[0]!.seed, true);
	assert.match(String(cached[0]!["content"]), /<summary>\nWas short\.\n<\/summary>$/);
	assert.equal(patched({ ...op, firstKeptMessageId: null }).messages.cached.length, 1);
	refused([{ ...op, firstKeptMessageId: "gone" }], /no cached message 'gone'/);
	refused([op], /its firstKeptMessageId is missing/);
});

test("compaction_apply takes an index on reading and stores the id that it meant", () => {
	const op = {
		op: "compaction_apply",
		scope: "cached",
		summary: "S",
		timestamp: 7,
		firstKeptMessageIndex: 1,
		tokensBefore: 9,
		...WHY,
	};
	const drop = { op: "items_drop", scope: "cached", ids: ["a"], ...WHY };
	const { ops, envelope: next } = applyPatch(envelope(), [drop, op], "turn_end");
	assert.deepEqual(ids(next.messages.cached).slice(1), ["c"], "the index counts what stands there now");
	assert.ok(ops[1]?.op === "compaction_apply" && "firstKeptMessageId" in ops[1]);
	assert.equal(ops[1].firstKeptMessageId, "c");
	assert.ok(!("firstKeptMessageIndex" in ops[1]));
});

test("case 57: the preamble of a summary is constant, without digits or dates", () => {
	const text = (timestamp: number): unknown =>
		patched({
			op: "compaction_apply",
			scope: "cached",
			summary: "",
			timestamp,
			firstKeptMessageId: null,
			tokensBefore: 1,
			...WHY,
		}).messages.cached[0]!["content"];
	assert.equal(text(1), text(1_800_000_000_000));
	assert.doesNotMatch(String(text(1)), /\d/);
});

test("epoch_seal freezes a seed before what is kept, and refuses a plan made on another state", () => {
	const op = { op: "epoch_seal", scope: "cached", seedText: "# State", keepFromId: "b", ...WHY };
	const { cached } = patched({ ...op, droppedIds: ["a"] }).messages;
	assert.deepEqual(
		cached.map((message) => [message.seed === true, message["content"]]),
		[
			[true, "# State"],
			[false, "two"],
			[false, "three"],
		],
	);
	refused([{ ...op, droppedIds: ["a", "b"] }], /planned for other messages/);
});

test("cached operations without a reason are refused, whichever they are", () => {
	for (const op of [
		{ op: "system_part_set", partName: "base", text: "" },
		{ op: "system_part_remove", partName: "base" },
		{ op: "system_parts_replace", parts: [] },
		{ op: "tools_replace", tools: [] },
		{ op: "tools_remove", toolNames: [] },
		{ op: "options_set", maxTokens: 1 },
		{ op: "items_drop", ids: ["a"] },
		{ op: "item_replace", id: "a", message: { role: "user" } },
		{ op: "compaction_apply", summary: "s", timestamp: 1, firstKeptMessageId: null, tokensBefore: 1 },
		{ op: "epoch_seal", seedText: "s", keepFromId: null },
	]) {
		refused([{ scope: "cached", ...op }], new RegExp(`^Context patch op "${op.op}" modifies cached content`));
	}
});

test("before_request and turn_end take cached operations alone; ephemeral takes both", () => {
	const append = { op: "messages_uncached_append", scope: "uncached", messages: [userMessage("u", "now")] };
	for (const reason of ["before_request", "turn_end"] as const) refused([append], /only context\(ephemeral\)/, reason);
	const drop = { op: "items_drop", scope: "cached", ids: ["a"], ...WHY };
	assert.deepEqual(ids(patched(append, drop).messages.uncached), ["u"]);
});

test("one bad operation refuses the whole patch, also when it is the last", () => {
	const good = { op: "items_drop", scope: "cached", ids: ["a"], ...WHY };
	refused(
		[good, { op: "item_replace", scope: "cached", id: "a", message: { role: "user" }, ...WHY }],
		/no cached message 'a'/,
	);
	refused([good, { op: "explode", scope: "cached" }], /Operation 2 .* is unknown/);
	refused([good, { op: "tail_set", scope: "cached", messages: [] }], /must have the scope uncached/);
	refused([good, { op: "tools_replace", scope: "cached", tools: [{ name: "" }], ...WHY }], /its tools cannot be read/);
	refused([good, null], /Operation 2/);
});

test("what does not survive JSON is refused or becomes what JSON makes of it", () => {
	const cyclic: Record<string, unknown> = { id: "u", role: "user" };
	cyclic["self"] = cyclic;
	refused([{ op: "tail_set", scope: "uncached", messages: [cyclic] }], /plain JSON/);
	refused([{ op: "tail_set", scope: "uncached", messages: [{ role: "user", n: 1n }] }], /plain JSON/);
	const [message] = patched({
		op: "tail_set",
		scope: "uncached",
		messages: [{ role: "user", at: new Date(0), no: undefined }],
	}).messages.uncached;
	assert.deepEqual({ ...message, id: "" }, { id: "", role: "user", at: "1970-01-01T00:00:00.000Z" });
});

test("an operation with a reason that changes no cached byte invalidates nothing", () => {
	const result = applyPatch(
		envelope(),
		[
			{ op: "system_part_set", scope: "cached", partName: "base", text: "You help.", invalidateCacheReason: "again" },
			{ op: "options_set", scope: "cached", maxTokens: 5, invalidateCacheReason: "shorter" },
			{ op: "tools_remove", scope: "cached", toolNames: ["none"], invalidateCacheReason: "gate" },
		],
		"before_request",
	);
	assert.deepEqual([result.cacheInvalidated, result.invalidateCacheReasons], [false, []]);
});

test("reasons come once each, in order", () => {
	const set = (text: string, invalidateCacheReason: string): object => ({
		op: "system_part_set",
		scope: "cached",
		partName: "base",
		text,
		invalidateCacheReason,
	});
	const { invalidateCacheReasons } = applyPatch(envelope(), [set("1", "b"), set("2", "a"), set("3", "b")], "turn_end");
	assert.deepEqual(invalidateCacheReasons, ["b", "a"]);
});

test("an id may stand once in the whole request", () => {
	refused(
		[{ op: "messages_uncached_append", scope: "uncached", messages: [userMessage("a", "again")] }],
		/uplicate message id 'a'/,
	);
	assert.throws(
		() => makeEnvelope({ messages: [userMessage("a", "1"), userMessage("a", "2")] }),
		/uplicate message id 'a'/,
	);
});

test("what the host sends is cached, then uncached, without our marks", () => {
	const next = patched(
		{ op: "epoch_seal", scope: "cached", seedText: "# State", keepFromId: "c", ...WHY },
		{ op: "tail_set", scope: "uncached", messages: [userMessage("u", "last")] },
	);
	assert.deepEqual(hostMessages(next), [
		{ role: "user", content: "# State" },
		{ role: "user", content: "three" },
		{ role: "user", content: "last" },
	]);
});

test("a key named __proto__ is a key", () => {
	const message = JSON.parse(
		'{"id":"u","role":"user","content":[{"type":"text","text":"x","__proto__":{"a":1}}]}',
	) as object;
	const next = patched({ op: "tail_set", scope: "uncached", messages: [message] });
	assert.equal(JSON.stringify(next.messages.uncached[0]), JSON.stringify(message));
	assert.equal(({} as { a?: number }).a, undefined);
});
