import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import Schema from "typebox/schema";
import { EVENT_SCHEMAS } from "../../log/event/schema.ts";
import type { KnownType, NewEvent } from "../../log/event/types.ts";
import { PiTranslator } from "./translate.ts";

const AT = "2026-02-01T10:00:00.000Z";
const MS = Date.parse(AT);
const header = { type: "session", version: 3, id: "s1", timestamp: AT, cwd: "/home/dev/app" };
const entry = (type: string, id: string, parentId: string | null, more: object = {}) => ({
	type,
	id,
	parentId,
	timestamp: AT,
	...more,
});
const message = (id: string, parentId: string | null, message: object) => entry("message", id, parentId, { message });

/** As the log stores them. */
const stored = (events: readonly NewEvent[]): NewEvent[] => JSON.parse(JSON.stringify(events));

function translate(entries: readonly unknown[], of: unknown = header): NewEvent[] {
	const translator = new PiTranslator(of);
	return stored(entries.flatMap((value, at) => translator.translate(value, JSON.stringify(value), `v1:${at + 1}`)));
}

const brief = (events: readonly NewEvent[]) =>
	events.map(({ type, entry, payload }) => [type, entry, (payload as { parent?: string }).parent]);

test("a header opens the session", () => {
	const forked = { ...header, parentSession: "/old/file.jsonl" };
	assert.deepEqual(translate([forked], forked), [
		{
			session: "s1",
			host: "pi",
			ts: MS,
			type: "SessionStarted",
			entry: "session",
			payload: { cwd: "/home/dev/app", format: "3", parentSession: "/old/file.jsonl" },
			raw: JSON.stringify(forked),
		},
	]);
});

test("a message goes in whole, with what it derives after it", () => {
	const user = message("a1", null, { role: "user", content: "go on", timestamp: 5 });
	assert.deepEqual(translate([user]), [
		{
			session: "s1",
			host: "pi",
			ts: MS,
			type: "Message",
			entry: "a1",
			payload: { role: "user", form: "pi" },
			raw: JSON.stringify(user),
		},
		{
			session: "s1",
			host: "pi",
			ts: MS,
			type: "UserIntent",
			entry: "a1",
			cause: { message: "a1" },
			payload: { text: "go on" },
		},
	]);
});

test("the bytes of an entry stay as they were written", () => {
	const text = '{ "type":"message","id":"a1","message":{"role":"user","content":"\\u0041","n":1.0}}';
	const [event] = stored(new PiTranslator(header).translate(JSON.parse(text), text, "?"));
	assert.equal(event!.raw, text);
});

test("a tree keeps its branches: two children name one parent", () => {
	const events = translate([
		message("a", null, { role: "custom", content: "x" }),
		message("b", "a", { role: "custom", content: "y" }),
		entry("branch_summary", "c", "a", { fromId: "b", summary: "tried" }),
		message("d", "c", { role: "custom", content: "z" }),
	]);
	assert.deepEqual(brief(events), [
		["Message", "a", undefined],
		["Message", "b", "a"],
		["Entry", "c", "a"],
		["Message", "d", "c"],
	]);
});

test("every other kind of entry is kept under its own name, unknown ones too", () => {
	const kinds = [
		"compaction",
		"branch_summary",
		"context_edit",
		"custom",
		"label",
		"model_change",
		"thinking_level_change",
		"session_info",
		"usage",
		"kind_of_tomorrow",
	];
	const events = translate(kinds.map((kind, at) => entry(kind, `e${at}`, null)));
	assert.deepEqual(
		events.map((event) => [event.type, (event.payload as { kind: string }).kind]),
		kinds.map((kind) => ["Entry", kind]),
	);
});

test("messages of extensions are messages; format 2's name for them is today's", () => {
	const events = translate([
		entry("custom_message", "a", null, { customType: "t", content: "x", display: true }),
		message("b", "a", { role: "hookMessage", customType: "t", content: "y" }),
	]);
	assert.deepEqual(
		events.map((event) => [event.type, (event.payload as { role: string }).role]),
		[
			["Message", "custom"],
			["Message", "custom"],
		],
	);
});

test("a result names its tool, and a reused call id leaves two of everything (case 36)", () => {
	const turn = (n: number) => [
		message(`a${n}`, null, {
			role: "assistant",
			content: [{ type: "toolCall", id: "same", name: "bash", arguments: { command: `run ${n}` } }],
		}),
		message(`r${n}`, `a${n}`, {
			role: "toolResult",
			toolCallId: "same",
			toolName: "bash",
			content: "ok",
			isError: false,
		}),
	];
	const events = translate([...turn(1), ...turn(2)]);
	assert.equal((events.find((event) => event.entry === "r1")!.payload as { tool: string }).tool, "bash");
	const runs = events.filter((event) => event.type === "CommandRun");
	assert.deepEqual(
		runs.map((event) => [event.entry, (event.payload as { command: string }).command]),
		[
			["r1/same", "run 1"],
			["r2/same", "run 2"],
		],
	);
});

describe("the user's request", () => {
	const asked = (content: string) => {
		const intent = translate([message("a", null, { role: "user", content })]).find(({ type }) => type === "UserIntent");
		return (intent!.payload as { text: string }).text;
	};

	test("is the skill's name and the user's words, without the skill's text", () => {
		assert.equal(asked('<skill name="tides" location="/x">\nlong\n</skill>\n\nfor Monday'), "/skill:tides for Monday");
	});

	test("is never stripped of text that only resembles what a program adds (case 38)", () => {
		const text = "<system-reminder>why is this here?</system-reminder> [Request interrupted by user]";
		assert.equal(asked(text), text);
	});
});

describe("format 1, which has no ids", () => {
	test("names entries by their line and follows them in a row", () => {
		const { version, ...old } = header;
		const line = (role: string) => ({ type: "message", timestamp: AT, message: { role, content: "x" } });
		assert.deepEqual(brief(translate([old, line("custom"), line("custom"), { type: "model_change" }], old)), [
			["SessionStarted", "session", undefined],
			["Message", "v1:2", undefined],
			["Message", "v1:3", "v1:2"],
			["Entry", "v1:4", "v1:3"],
		]);
	});
});

describe("the time of an event", () => {
	const timeOf = (value: object) => translate([value])[0]!.ts;

	test("is the entry's, else the message's, else the session's", () => {
		assert.equal(timeOf({ type: "message", id: "a", timestamp: AT, message: { role: "x", timestamp: 7 } }), MS);
		assert.equal(timeOf({ type: "message", id: "a", timestamp: "?", message: { role: "x", timestamp: 7 } }), 7);
		assert.equal(timeOf({ type: "label", id: "a" }), MS);
		assert.equal(timeOf({ type: "label", id: "a", timestamp: 9e99 }), MS);
	});
});

test("an id that another entry bears already loses nothing; the same entry again is no news", () => {
	const one = entry("label", "a", null, { label: "one" });
	const two = entry("label", "a", null, { label: "two" });
	assert.deepEqual(brief(translate([one, two, one, two])), [
		["Entry", "a", undefined],
		["Entry", "a#2", undefined],
	]);
});

test("an entry that the log knows under another name goes by it, and so do its children's parents", () => {
	const translator = new PiTranslator(header, { known: (id) => (id === "new" ? "v1:2" : undefined) });
	const feed = (value: object) => stored(translator.translate(value, JSON.stringify(value), "?"));
	const events = [entry("label", "new", null), entry("label", "next", "new")].flatMap(feed);
	assert.deepEqual(brief(events), [
		["Entry", "v1:2", undefined],
		["Entry", "next", "v1:2"],
	]);
});

test("entries damaged at random never make it throw, nor an event that breaks its schema", () => {
	const good = [
		message("a", null, { role: "user", content: [{ type: "text", text: "x" }] }),
		message("b", "a", {
			role: "assistant",
			content: [{ type: "toolCall", id: "c", name: "edit", arguments: { path: "a", edits: [] } }],
		}),
		message("r", "b", { role: "toolResult", toolCallId: "c", toolName: "edit", content: [], details: { diff: "" } }),
		message("e", "r", { role: "bashExecution", command: "x", output: "y" }),
		entry("compaction", "f", "e", { summary: "s" }),
	];
	const damage = fc.tuple(fc.nat(4), fc.array(fc.string(), { maxLength: 3 }), fc.anything());
	fc.assert(
		fc.property(fc.array(damage, { maxLength: 6 }), (damages) => {
			const entries: unknown[] = structuredClone(good);
			for (const [at, path, value] of damages) entries[at] = put(entries[at], path, value);
			const translator = new PiTranslator(header);
			for (const value of entries) {
				for (const event of translator.translate(value, "{}", "?")) {
					Schema.Parse(EVENT_SCHEMAS[event.type as KnownType], { ...event.payload, raw: {} });
					assert.ok(Number.isFinite(event.ts));
				}
			}
		}),
	);
});

/** Puts a value at a path that mostly leads to a field that is there. Lists stay without holes, as in JSON. */
function put(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
	if (key === undefined || target === null || typeof target !== "object") return value;
	const keys = Object.keys(target);
	const isEmptyList = Array.isArray(target) && target.length === 0;
	const at = isEmptyList ? "0" : keys.length === 0 ? key : keys[key.length % keys.length]!;
	const copy = Array.isArray(target) ? [...target] : { ...target };
	(copy as Record<string, unknown>)[at] = put((target as Record<string, unknown>)[at], rest, value);
	return copy;
}

test("a message whose output was bounded keeps the whole of it, whatever is pruned beside it", () => {
	const blob = "ab".repeat(32);
	const translator = new PiTranslator(
		{ type: "session", id: "s", version: 3 },
		{ blobOf: (id) => (id === "c" ? blob : undefined) },
	);
	const message = (id: string, body: object) => {
		const entry = { type: "message", id, timestamp: "2026-03-01T10:00:00.000Z", message: body };
		return stored(translator.translate(entry, JSON.stringify(entry), id));
	};
	message("a", {
		role: "assistant",
		content: [{ type: "toolCall", id: "c", name: "bash", arguments: { command: "x" } }],
	});
	const events = message("b", { role: "toolResult", toolCallId: "c", toolName: "bash", content: [], isError: false });
	assert.deepEqual(
		events.filter((event) => "blob" in event.payload).map((event) => event.type),
		["Message", "ToolResult"],
	);
});

test("an older compaction keeps from the entry at its place in the file", () => {
	const translator = new PiTranslator({ type: "session", id: "s" });
	const lines = [
		{ type: "session", id: "s" },
		{ type: "message", message: { role: "user", content: "one" } },
		{ type: "message", message: { role: "user", content: "two" } },
		{ type: "compaction", summary: "one", firstKeptEntryIndex: 2 },
	];
	const events = lines.flatMap((line, at) => translator.translate(line, JSON.stringify(line), `v1:${at + 1}`));
	assert.deepEqual(events.at(-1)!.payload, { kind: "compaction", parent: "v1:3", kept: "v1:3" });
});

test("a transform that the session holds is one of the log: ours under its name, a foreign one after the message before it", () => {
	const translator = new PiTranslator({ type: "session", version: 3, id: "s" });
	const patch = [{ op: "system_part_set", scope: "cached", partName: "p", text: "t", invalidateCacheReason: "r" }];
	const held = { schemaVersion: 1, transformerName: "house", timestamp: "2026-01-05T00:00:00.000Z", patch };
	const name = "transform a1.x.1/0";
	const lines = [
		{ type: "message", id: "a1", parentId: null, message: { role: "user", content: "one" } },
		{ type: "custom", id: "b2", parentId: "a1", customType: "context_transform", data: { ...held, name } },
		{ type: "context_transform", id: "c3", parentId: "b2", ...held },
		{ type: "custom", id: "d4", parentId: "c3", customType: "other", data: held },
	];
	const events = lines.flatMap((line) => translator.translate(line, JSON.stringify(line), line.id));
	assert.deepEqual(
		events.filter(({ type }) => type === "Transform").map(({ entry, cause }) => ({ entry, cause })),
		[
			{ entry: name, cause: { message: "a1" } },
			{ entry: "transform c3.0", cause: { message: "a1" } },
		],
	);
});
