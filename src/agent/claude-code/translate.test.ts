import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import Schema from "typebox/schema";
import { EVENT_SCHEMAS } from "../../log/event/schema.ts";
import type { KnownType, NewEvent } from "../../log/event/types.ts";
import { SideFiles } from "./side-files.ts";
import { ClaudeCodeTranslator } from "./translate.ts";

const AT = "2026-02-01T10:00:00.000Z";
const line = (type: string, uuid: string, parentUuid: string | null, more: object = {}) => ({
	type,
	uuid,
	parentUuid,
	sessionId: "s1",
	cwd: "/home/dev/app",
	version: "2.1.52",
	timestamp: AT,
	isSidechain: false,
	...more,
});
const user = (uuid: string, parent: string | null, content: unknown, more: object = {}) =>
	line("user", uuid, parent, { message: { role: "user", content }, ...more });
const assistant = (uuid: string, parent: string | null, block: object, more: object = {}) =>
	line("assistant", uuid, parent, { message: { id: "msg_1", role: "assistant", content: [block] }, ...more });
const use = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const answer = (id: string, content: unknown) => [{ type: "tool_result", tool_use_id: id, content }];

function translate(lines: readonly unknown[], agent?: string): NewEvent[] {
	const translator = new ClaudeCodeTranslator({ session: "file", agent });
	// As the log stores them.
	return JSON.parse(JSON.stringify(lines.flatMap((value) => translator.translate(value, JSON.stringify(value)))));
}

const brief = (events: readonly NewEvent[]) => events.map(({ session, type, entry }) => `${session} ${type} ${entry}`);
const find = (events: readonly NewEvent[], type: string) => events.filter((event) => event.type === type);

test("the first line that names a folder opens the session", () => {
	const [started] = translate([user("u1", null, "hello")]);
	assert.deepEqual(started, {
		session: "s1",
		host: "claude-code",
		ts: Date.parse(AT),
		type: "SessionStarted",
		entry: "session",
		payload: { cwd: "/home/dev/app", format: "2.1.52" },
	});
});

test("several lines of one message id are each a message of their own", () => {
	const events = translate([
		assistant("a1", null, { type: "thinking", thinking: "hm", signature: "s" }),
		assistant("a2", "a1", { type: "text", text: "I look." }),
		assistant("a3", "a2", use("t1", "Read", { file_path: "/home/dev/app/x.go" })),
	]);
	assert.deepEqual(brief(events).slice(1), ["s1 Message a1", "s1 Message a2", "s1 Message a3", "s1 ToolCalled a3/t1"]);
	assert.deepEqual(events.at(-2)!.payload, { role: "assistant", form: "anthropic", parent: "a2" });
});

test("a result is a toolResult of the tool that its call names", () => {
	const file = { filePath: "/home/dev/app/x.go", content: "a\n", startLine: 1, numLines: 2, totalLines: 2 };
	const events = translate([
		assistant("a1", null, use("t1", "Read", { file_path: "/home/dev/app/x.go" })),
		user("r1", "a1", answer("t1", "1→a"), { toolUseResult: { type: "text", file } }),
	]);
	assert.deepEqual(events.find((event) => event.entry === "r1")!.payload, {
		role: "toolResult",
		form: "anthropic",
		parent: "a1",
		tool: "Read",
	});
	assert.deepEqual(brief(events).slice(-2), ["s1 ToolResult r1/t1", "s1 FileRead r1/t1"]);
});

test("lines that are no messages are kept as entries; without an id they go by their content", () => {
	const snapshot = { type: "file-history-snapshot", messageId: "u1", snapshot: { timestamp: AT } };
	const summary = { type: "summary", summary: "Tides", leafUuid: "u1" };
	const lines = [line("system", "y1", "u1", { subtype: "turn_duration" }), snapshot, summary];
	const events = find(translate(lines), "Entry");
	assert.deepEqual(
		events.map((event) => event.payload),
		[{ kind: "system", parent: "u1" }, { kind: "file-history-snapshot" }, { kind: "summary" }],
	);
	const alone = find(translate([user("u0", null, "x"), summary]), "Entry");
	assert.equal(alone[0]!.entry, events[2]!.entry);
	assert.match(events[2]!.entry!, /^sha256:[0-9a-f]{16}$/);
});

test("a line that names no session belongs to the one before it, or to the file", () => {
	const summary = { type: "summary", summary: "Tides", leafUuid: "u1" };
	assert.deepEqual(
		find(translate([summary, user("u1", null, "x"), { ...summary, summary: "More" }]), "Entry").map(
			(event) => event.session,
		),
		["file", "s1"],
	);
});

describe("a side chain", () => {
	const call = assistant("a1", "u1", use("t1", "Task", { description: "look", prompt: "Find the tides" }));

	test("in the parent's file is a session of its own, and the parent knows by which call", () => {
		const side = { isSidechain: true };
		const events = translate([
			user("u1", null, "please"),
			call,
			user("x1", null, "Find the tides", side),
			assistant("x2", "x1", use("t9", "Bash", { command: "ls" }), side),
			user("x3", "x2", answer("t9", "tides.go"), side),
			user("r1", "a1", answer("t1", "found")),
		]);
		assert.deepEqual(brief(events), [
			"s1 SessionStarted session",
			"s1 Message u1",
			"s1 UserIntent u1",
			"s1 Message a1",
			"s1 ToolCalled a1/t1",
			"s1/x1 SessionStarted session",
			"s1 Subagent agent:x1",
			"s1/x1 Message x1",
			"s1/x1 Message x2",
			"s1/x1 ToolCalled x2/t9",
			"s1/x1 Message x3",
			"s1/x1 ToolResult x3/t9",
			"s1/x1 CommandRun x3/t9",
			"s1 Message r1",
			"s1 ToolResult r1/t1",
		]);
		const [subagent] = find(events, "Subagent");
		assert.deepEqual(subagent!.payload, { child: "s1/x1", task: "Find the tides", callId: "t1" });
		assert.deepEqual(subagent!.cause, { message: "a1" });
		assert.equal((events[5]!.payload as { parentSession: string }).parentSession, "s1");
	});

	test("in a file of its own meets the parent's event under the same entry", () => {
		const parent = translate([
			call,
			user("r1", "a1", answer("t1", "found"), { toolUseResult: { agentId: "ag7", status: "completed" } }),
		]);
		const own = { isSidechain: true, agentId: "ag7" };
		const child = translate(
			[user("x1", null, "Find the tides", own), assistant("x2", "x1", { type: "text", text: "ok" }, own)],
			"ag7",
		);
		const [fromParent] = find(parent, "Subagent");
		const [fromChild] = find(child, "Subagent");
		assert.deepEqual(fromParent!.payload, { child: "s1/ag7", task: "Find the tides", callId: "t1" });
		assert.deepEqual([fromChild!.session, fromChild!.entry], [fromParent!.session, fromParent!.entry]);
		assert.deepEqual(
			find(child, "Message").map((event) => event.session),
			["s1/ag7", "s1/ag7"],
		);
	});

	test("asks nothing in the user's name", () => {
		const events = translate([user("x1", null, "Find the tides", { isSidechain: true })]);
		assert.deepEqual(find(events, "UserIntent"), []);
	});
});

test("a command that the user typed is a command run, once its output is there", () => {
	const events = translate([
		user("u1", null, "<bash-input>make tides</bash-input>"),
		user("u2", "u1", "<bash-stdout>one\ntwo</bash-stdout><bash-stderr></bash-stderr>"),
	]);
	const [run] = find(events, "CommandRun");
	assert.deepEqual(run!.payload, {
		command: "make tides",
		exit: null,
		chars: 7,
		lines: 2,
		by: "user",
		tool: "bash",
		callId: "u2",
	});
	assert.deepEqual(find(events, "UserIntent"), []);
});

describe("the user's request", () => {
	const asked = (content: unknown) => {
		const [intent] = find(translate([user("u1", null, content)]), "UserIntent");
		return intent && (intent.payload as { text: string }).text;
	};

	test("is what the user said, not what the program added", () => {
		assert.equal(asked("<system-reminder>be kind</system-reminder>\nfix it"), "fix it");
		assert.equal(
			asked([
				{ type: "text", text: "fix" },
				{ type: "text", text: "<ide_selection>x</ide_selection>" },
			]),
			"fix",
		);
		assert.equal(asked("fix <system-reminder> without an end"), "fix <system-reminder> without an end");
		assert.equal(asked("[Request interrupted by user]"), undefined);
		assert.equal(asked("<local-command-stdout>done</local-command-stdout>"), undefined);
	});

	test("of a slash command is the command", () => {
		const tags =
			"<command-message>x</command-message>\n<command-name>/plan</command-name>\n<command-args>tides</command-args>";
		assert.equal(asked(tags), "/plan tides");
	});
});

test("a summary of a compaction is told apart from what the user says", () => {
	const events = translate([
		line("system", "b1", null, { subtype: "compact_boundary", logicalParentUuid: "u9" }),
		user("u1", "b1", "This session is continued…", { isCompactSummary: true }),
	]);
	assert.deepEqual(
		events.slice(1).map((event) => event.payload),
		[
			{ kind: "system", parent: "u9" },
			{ role: "compactionSummary", form: "anthropic", parent: "b1" },
		],
	);
});

test("lines damaged at random never make it throw, nor an event that breaks its schema", () => {
	const value = fc.oneof(fc.jsonValue(), fc.constantFrom("s1", "u1", "Bash", true, "ag7"));
	const block = fc.record(
		{
			type: fc.constantFrom("text", "tool_use", "tool_result", "thinking", "?"),
			id: value,
			name: value,
			input: value,
			tool_use_id: value,
			content: value,
			text: value,
		},
		{ requiredKeys: ["type"] },
	);
	const any = fc.record(
		{
			type: fc.oneof(fc.constantFrom("user", "assistant", "system"), value),
			uuid: value,
			parentUuid: value,
			sessionId: value,
			agentId: value,
			isSidechain: fc.boolean(),
			cwd: value,
			timestamp: value,
			toolUseResult: value,
			message: fc.oneof(value, fc.record({ role: value, content: fc.oneof(value, fc.array(block)) })),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(fc.array(fc.oneof(any, fc.jsonValue())), (lines) => {
			for (const event of translate(lines)) {
				Schema.Parse(EVENT_SCHEMAS[event.type as KnownType], { ...event.payload, raw: {} });
				assert.ok(Number.isFinite(event.ts) && event.session !== "");
			}
		}),
	);
});

test("a fork begins with its parent's compaction, and does not pay again what the parent paid", () => {
	const totals = (inputTokens: number) => ({
		type: "cost-state",
		sessionId: "s1",
		modelUsage: { m: { inputTokens, outputTokens: 0 } },
	});
	const boundary = { ...line("system", "b1", null), subtype: "compact_boundary" };
	const answered = (uuid: string, input_tokens: number) =>
		line("assistant", uuid, null, {
			message: { id: uuid, model: "m", content: [], usage: { input_tokens, output_tokens: 0 } },
		});
	const unrecorded = (lines: readonly unknown[]) => {
		const translator = new ClaudeCodeTranslator({ session: "file", sides: new SideFiles("none.jsonl") });
		const events = lines.flatMap((value) => translator.translate(value, JSON.stringify(value)));
		return events.flatMap(({ entry = "", raw }) =>
			entry.startsWith("unrecorded") ? [JSON.parse(String(raw)).message.usage] : [],
		);
	};
	const forked = [boundary, user("u1", null, "go on"), answered("a1", 1_000), totals(900_000), answered("a2", 2_000)];
	assert.deepEqual(unrecorded([...forked, totals(902_000)]), []);
	const [rest] = unrecorded([...forked, totals(952_000)]);
	assert.equal(rest?.input_tokens, 50_000, "its own compactions count");
	const whole = [user("u1", null, "go"), boundary, answered("a1", 1_000), totals(51_000)];
	assert.equal(unrecorded(whole)[0]?.input_tokens, 50_000);
});
