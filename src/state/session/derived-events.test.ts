import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import Schema from "typebox/schema";
import { EVENT_SCHEMAS } from "../../log/event/schema.ts";
import { viewMessage } from "../../message/view.ts";
import { Calls } from "./calls.ts";
import { type DerivedEvent, deriveEvents } from "./derived-events.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** A session in Pi's form: each call is answered at once. */
class Session {
	readonly calls = new Calls();
	readonly cwd = "/home/dev/app";
	#entries = 0;

	say(message: object): DerivedEvent[] {
		const raw = { type: "message", message };
		return this.derive({ form: "pi", raw });
	}

	line(line: object): DerivedEvent[] {
		return this.derive({ form: "anthropic", raw: line });
	}

	derive(payload: object): DerivedEvent[] {
		const { cwd, calls } = this;
		const events = deriveEvents(viewMessage(payload as never), { entry: `m${++this.#entries}`, cwd, calls });
		for (const event of events) Schema.Parse(EVENT_SCHEMAS[event.type], event.payload);
		// As the log stores them.
		return JSON.parse(JSON.stringify(events));
	}

	/** What the result gives beside ToolResult. */
	pi(name: string, args: object, result: { text: string; isError?: boolean; details?: unknown }): DerivedEvent[] {
		this.say({ role: "assistant", content: [{ type: "toolCall", id: "c", name, arguments: args }] });
		const { text, ...rest } = result;
		const content = [{ type: "text", text }];
		return this.say({ role: "toolResult", toolCallId: "c", toolName: name, content, ...rest }).slice(1);
	}

	claude(name: string, input: object, result: { text: string; is_error?: boolean; note?: unknown }): DerivedEvent[] {
		this.line({ message: { role: "assistant", content: [{ type: "tool_use", id: "c", name, input }] } });
		const { text, note, ...rest } = result;
		const content = [{ type: "tool_result", tool_use_id: "c", content: text, ...rest }];
		return this.line({ message: { role: "user", content }, toolUseResult: note }).slice(1);
	}
}

const only = (events: readonly DerivedEvent[]) => {
	assert.equal(events.length, 1, JSON.stringify(events));
	return events[0]!;
};

describe("calls and results", () => {
	test("name their message as cause, and the call in their entry", () => {
		const session = new Session();
		const call = { type: "toolCall", id: "c1", name: "weather", arguments: { city: "Kyoto" } };
		assert.deepEqual(session.say({ role: "assistant", content: [call] }), [
			{
				type: "ToolCalled",
				payload: { tool: "weather", callId: "c1", input: { city: "Kyoto" } },
				entry: "m1/c1",
				cause: { message: "m1" },
			},
		]);
		const result = { role: "toolResult", toolCallId: "c1", toolName: "weather", content: "sunny\n" };
		assert.deepEqual(session.say(result), [
			{
				type: "ToolResult",
				payload: { tool: "weather", callId: "c1", status: "ok", chars: 6, lines: 1 },
				entry: "m2/c1",
				cause: { message: "m2" },
			},
		]);
	});

	test("a call id used again in a later turn keeps both (case 36)", () => {
		const session = new Session();
		const turn = (path: string) => session.pi("read", { path }, { text: "x" });
		const [first, second] = [only(turn("a.ts")), only(turn("b.ts"))];
		assert.notEqual(first.entry, second.entry);
		assert.equal((first.payload as { path: string }).path, "a.ts");
		assert.equal((second.payload as { path: string }).path, "b.ts");
	});

	test("a call id used twice in one message gets a number", () => {
		const call = { type: "toolCall", id: "c", name: "t", arguments: {} };
		const entries = new Session().say({ role: "assistant", content: [call, call] }).map((event) => event.entry);
		assert.deepEqual(entries, ["m1/c", "m1/c/2"]);
	});

	test("long texts in arguments stand as length and hash, at any depth; __proto__ stays a key", () => {
		const long = "x".repeat(201);
		const args = JSON.parse(`{"a":[{"b":"${long}"}],"short":"y","__proto__":{"z":1}}`);
		const [event] = new Session().say({
			role: "assistant",
			content: [{ type: "toolCall", id: "c", name: "t", arguments: args }],
		});
		const expected = `{"a":[{"b":{"chars":201,"sha256":"${sha256(long)}"}}],"short":"y","__proto__":{"z":1}}`;
		assert.equal(JSON.stringify((event!.payload as { input: unknown }).input), expected);
	});

	test("arguments nested without end are cut", () => {
		const deep = JSON.parse(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`);
		const [event] = new Session().say({
			role: "assistant",
			content: [{ type: "toolCall", id: "c", name: "t", arguments: deep }],
		});
		assert.ok(JSON.stringify(event!.payload).length < 1_000);
	});

	test("a result whose call was never seen is still a result", () => {
		const events = new Session().say({ role: "toolResult", toolCallId: "?", toolName: "read", content: "x" });
		assert.deepEqual(
			events.map((event) => event.type),
			["ToolResult"],
		);
	});
});

describe("files read", () => {
	test("a whole file of Pi's has the hash of the file", () => {
		const event = only(new Session().pi("read", { path: "/home/dev/app/src/a.ts" }, { text: "one\ntwo\n" }));
		assert.deepEqual(event.payload, {
			path: "src/a.ts",
			from: 1,
			to: 2,
			sliceHash: sha256("one\ntwo\n"),
			fileHash: sha256("one\ntwo\n"),
			tool: "read",
			callId: "c",
		});
	});

	test("a part of a file has its lines, and the hash of the lines without Pi's remark", () => {
		const text = "ten\n\n\n[90 more lines in file. Use offset=12 to continue.]";
		const event = only(new Session().pi("read", { path: "a.ts", offset: 10, limit: 2 }, { text }));
		assert.deepEqual(event.payload, {
			path: "a.ts",
			from: 10,
			to: 11,
			sliceHash: sha256("ten\n"),
			tool: "read",
			callId: "c",
		});
	});

	test("a cut read has no file hash", () => {
		const text = "one\ntwo\n\n[Showing lines 1-2 of 900. Use offset=3 to continue.]";
		const { payload } = only(new Session().pi("read", { path: "a" }, { text, details: { truncation: { x: 1 } } }));
		assert.deepEqual(payload, { path: "a", from: 1, to: 2, sliceHash: sha256("one\ntwo"), tool: "read", callId: "c" });
	});

	test("Claude Code's note is believed rather than its numbered text", () => {
		const file = { filePath: "/home/dev/app/a.go", content: "x\ny\n", startLine: 5, numLines: 3, totalLines: 7 };
		const event = only(
			new Session().claude("Read", { file_path: "/home/dev/app/a.go" }, { text: "…", note: { type: "text", file } }),
		);
		assert.deepEqual(event.payload, {
			path: "a.go",
			from: 5,
			to: 6,
			sliceHash: sha256("x\ny\n"),
			tool: "Read",
			callId: "c",
		});
	});

	test("without a note, Claude Code's numbered text is read up to the reminder", () => {
		const text = "     7→x\n     8→\ty\n\n<system-reminder>careful</system-reminder>";
		const { payload } = only(new Session().claude("Read", { file_path: "/home/dev/app/a.go" }, { text }));
		const shown = { path: "a.go", from: 7, to: 8, sliceHash: sha256("x\n\ty"), tool: "Read", callId: "c" };
		assert.deepEqual(payload, shown);
	});

	test("asked for line 0, Claude Code numbers the lines from 0: it is the first line", () => {
		const input = { file_path: "/home/dev/app/a.go", offset: 0 };
		const file = { filePath: input.file_path, content: "x\ny", startLine: 0, numLines: 2, totalLines: 7 };
		const text = "     0→x\n     1→y";
		for (const note of [{ type: "text", file }, undefined]) {
			const { payload } = only(new Session().claude("Read", input, { text, ...(note && { note }) }));
			const sliceHash = sha256("x\ny");
			assert.deepEqual(payload, { path: "a.go", from: 1, to: 2, sliceHash, tool: "Read", callId: "c" });
		}
	});

	test("a failed read, a folder and a web address are no file read", () => {
		const session = new Session();
		assert.deepEqual(session.pi("read", { path: "a" }, { text: "ENOENT", isError: true }), []);
		assert.deepEqual(session.pi("read", { path: "src" }, { text: "a b", details: { isDirectory: true } }), []);
		assert.deepEqual(session.pi("read", { path: "https://x.org/a" }, { text: "<html>" }), []);
	});
});

describe("files changed", () => {
	const before = "a\nb\nc\nd\ne\nf\ng\nh\n";

	test("an edit of Pi's takes the patch that Pi noted", () => {
		const patch = "--- x\n+++ x\n@@ -40,3 +40,3 @@\n same\n-old\n+new\n same\n";
		const edits = [{ oldText: "old", newText: "new" }];
		const event = only(new Session().pi("edit", { path: "./a.ts", edits }, { text: "ok", details: { patch } }));
		assert.deepEqual(event.payload, {
			path: "a.ts",
			kind: "edit",
			added: 1,
			removed: 1,
			diff: "--- a/a.ts\n+++ b/a.ts\n@@ -40,3 +40,3 @@\n same\n-old\n+new\n same\n",
			actor: "agent",
			tool: "edit",
			callId: "c",
		});
	});

	test("an edit with nothing noted is computed from its arguments, at the line that is known", () => {
		const args = { path: "a.ts", oldText: "keep\nold", newText: "keep\nnew" };
		const diffOf = (details?: object) => {
			const { payload } = only(new Session().pi("edit", args, { text: "ok", ...(details ? { details } : {}) }));
			return (payload as { diff: string }).diff.split("\n")[2];
		};
		assert.equal(diffOf(), "@@ -1,2 +1,2 @@");
		assert.equal(diffOf({ firstChangedLine: 41 }), "@@ -40,2 +40,2 @@");
	});

	test("an edit of several files gives an event for each", () => {
		const file = (path: string) => ({ path, diff: "-1 a\n+1 b" });
		const events = new Session().pi(
			"edit",
			{ input: "…" },
			{ text: "ok", details: { perFileResults: [file("x"), file("y")] } },
		);
		assert.deepEqual(
			events.map((event) => [event.type, event.entry, (event.payload as { path: string }).path]),
			[
				["FileChanged", "m2/c", "x"],
				["FileChanged", "m2/c/2", "y"],
			],
		);
	});

	test("a failed edit changes nothing", () => {
		const args = { path: "a.ts", oldText: "x", newText: "y" };
		assert.deepEqual(new Session().pi("edit", args, { text: "not found", isError: true }), []);
	});

	test("a write of Pi's has the hash of its content; what was there before is not known", () => {
		const event = only(new Session().pi("write", { path: "a.txt", content: "x\ny" }, { text: "ok" }));
		assert.deepEqual(event.payload, {
			path: "a.txt",
			kind: "write",
			added: 2,
			removed: null,
			hash: sha256("x\ny"),
			actor: "agent",
			tool: "write",
			callId: "c",
		});
	});

	test("an edit of Claude Code's is computed from the file it noted, tabs and all", () => {
		const originalFile = before.replace("d", "\td");
		const note = {
			filePath: "/home/dev/app/a.go",
			oldString: "\td",
			newString: "\tD $& $1",
			originalFile,
			structuredPatch: [{ oldStart: 4, newStart: 4, lines: ["-  d", "+  D"] }],
		};
		const { payload } = only(new Session().claude("Edit", { file_path: "/home/dev/app/a.go" }, { text: "ok", note }));
		const { diff } = payload as { diff: string };
		assert.equal(
			applyPatch(originalFile, diff),
			before.replace("d", () => "\tD $& $1"),
		);
	});

	test("where the user changed Claude Code's edit, its hunks are believed", () => {
		const lines = [" a", "-b", "+B", "+B2"];
		const note = {
			filePath: "/home/dev/app/a.go",
			oldString: "b",
			newString: "B",
			originalFile: before,
			userModified: true,
			structuredPatch: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines }],
		};
		const { payload } = only(new Session().claude("Edit", { file_path: "/home/dev/app/a.go" }, { text: "ok", note }));
		assert.equal((payload as { added: number }).added, 2);
	});

	test("a file that Claude Code created has a diff from nothing", () => {
		const note = {
			type: "create",
			filePath: "/home/dev/app/n.go",
			content: "x\n",
			structuredPatch: [],
			originalFile: null,
		};
		const input = { file_path: "/home/dev/app/n.go", content: "x\n" };
		const { payload } = only(new Session().claude("Write", input, { text: "ok", note }));
		assert.deepEqual(payload, {
			path: "n.go",
			kind: "write",
			added: 1,
			removed: 0,
			diff: "--- /dev/null\n+++ b/n.go\n@@ -0,0 +1,1 @@\n+x\n",
			hash: sha256("x\n"),
			actor: "agent",
			tool: "Write",
			callId: "c",
		});
	});

	test("a patch envelope gives an event for each file it names", () => {
		const input = [
			"*** Begin Patch",
			"*** Update File: a.ts",
			"@@ function x",
			" keep",
			"-old",
			"+new",
			"*** Add File: b.ts",
			"+first",
			"+second",
			"*** Delete File: c.ts",
			"*** Update File: d.ts",
			"*** Move to: e.ts",
			"@@",
			"-old",
			"+new",
			"*** End Patch",
		].join("\n");
		const events = new Session().pi("apply_patch", { input }, { text: "ok" });
		assert.deepEqual(
			events.map(({ payload, entry }) => {
				const { path, kind, added, removed } = payload as {
					path: string;
					kind: string;
					added: number;
					removed: number;
				};
				return [entry, path, kind, added, removed];
			}),
			[
				["m2/c", "a.ts", "edit", 1, 1],
				["m2/c/2", "b.ts", "write", 2, 0],
				["m2/c/3", "c.ts", "delete", 0, null],
				["m2/c/4", "e.ts", "edit", 1, 1],
				["m2/c/5", "d.ts", "delete", 0, null],
			],
		);
	});
});

describe("commands", () => {
	const exit = (events: readonly DerivedEvent[]) => (only(events).payload as { exit: number | null }).exit;
	const pi = (text: string, isError: boolean, details?: unknown) =>
		exit(new Session().pi("bash", { command: "x" }, { text, isError, details }));
	const claude = (text: string, is_error: boolean, note?: unknown, input = {}) =>
		exit(new Session().claude("Bash", { command: "x", ...input }, { text, is_error, note }));

	test("have the exit status that the host tells", () => {
		assert.equal(pi("fine", false), 0);
		assert.equal(pi("boom\n\nCommand exited with code 2", true, {}), 2);
		assert.equal(pi("Command exited with code 127", true), 127);
		assert.equal(pi("whatever", false, { exitCode: 4 }), 4);
		assert.equal(claude("fine", false, { stdout: "fine", interrupted: false }), 0);
		assert.equal(claude("Exit code 3\nboom", true, "Error: Exit code 3"), 3);
	});

	test("have none where nobody tells it", () => {
		assert.equal(pi("Command aborted", true), null);
		assert.equal(pi("Command timed out after 5 seconds", true), null);
		assert.equal(pi("started", false, { status: "running" }), null);
		assert.equal(claude("stopped", false, { interrupted: true }), null);
		assert.equal(claude("in the background", false, { backgroundTaskId: "b1" }), null);
		assert.equal(claude("started", false, {}, { run_in_background: true }), null);
		assert.equal(claude("The user doesn't want to proceed", true), null);
	});

	test("are bounded, and name who ran them", () => {
		const { payload } = only(new Session().pi("bash", { command: "y".repeat(3_000) }, { text: "a\nb\n" }));
		const { command, ...rest } = payload as { command: string };
		assert.equal(command.length, 2_000);
		assert.deepEqual(rest, { exit: 0, chars: 4, lines: 2, by: "agent", tool: "bash", callId: "c" });
		const ran = new Session().say({ role: "bashExecution", command: "ls", output: "a", exitCode: 1 });
		assert.deepEqual(ran, [
			{
				type: "CommandRun",
				payload: { command: "ls", exit: 1, chars: 1, lines: 1, by: "user", tool: "bash", callId: "m1" },
				entry: "m1",
				cause: { message: "m1" },
			},
		]);
	});

	test("of tools that a caller names are known too", () => {
		const calls = new Calls();
		const derive = (message: object) =>
			deriveEvents(viewMessage({ form: "pi", raw: { message } }), {
				entry: "m",
				cwd: undefined,
				calls,
				classes: { run_it: "shell" },
			});
		derive({
			role: "assistant",
			content: [{ type: "toolCall", id: "c", name: "Run_It", arguments: { command: "x" } }],
		});
		const events = derive({ role: "toolResult", toolCallId: "c", toolName: "Run_It", content: "" });
		assert.deepEqual(
			events.map((event) => event.type),
			["ToolResult", "CommandRun"],
		);
	});
});

describe("the user's request", () => {
	const asked = (content: unknown, line = {}) => {
		const [event] = new Session().line({ type: "user", message: { role: "user", content }, ...line });
		return event && (event.payload as { text: string }).text;
	};

	test("is folded to one line of at most 500 characters, no character cut in two", () => {
		assert.equal(asked("  fix\n\n\tit  please "), "fix it please");
		assert.equal(asked(`${"x".repeat(499)}😀`), "x".repeat(499));
	});

	test("is not what a program says in the user's name", () => {
		assert.equal(asked("expanded prompt", { isMeta: true }), undefined);
		assert.equal(asked("summary", { isCompactSummary: true }), undefined);
		assert.equal(asked("   "), undefined);
	});

	test("is not what an extension injects", () => {
		assert.deepEqual(new Session().say({ role: "custom", content: "remember" }), []);
	});
});

test("a spawn that names its child gives a Subagent", () => {
	const events = new Session().pi(
		"sessions_spawn",
		{ task: "look\naround" },
		{ text: "ok", details: { childSessionKey: "k" } },
	);
	assert.deepEqual(only(events).payload, { child: "k", task: "look around", callId: "c" });
});

test("no message, however odd, makes the derivation throw or break a schema", () => {
	const args = fc.oneof(
		fc.jsonValue(),
		fc.record({ path: fc.anything(), edits: fc.jsonValue(), command: fc.anything() }),
	);
	const details = fc.oneof(
		fc.jsonValue(),
		fc.record({ diff: fc.string(), patch: fc.string(), structuredPatch: fc.jsonValue(), file: fc.jsonValue() }),
	);
	const tool = fc.constantFrom("read", "edit", "write", "bash", "apply_patch", "task", "other");
	fc.assert(
		fc.property(tool, args, details, fc.jsonValue(), fc.boolean(), (name, input, noted, content, isError) => {
			const session = new Session();
			session.say({ role: "assistant", content: [{ type: "toolCall", id: "c", name, arguments: input }] });
			session.say({ role: "toolResult", toolCallId: "c", toolName: name, content, details: noted, isError });
			session.line({
				message: { content: [{ type: "tool_result", tool_use_id: "c", content }] },
				toolUseResult: noted,
			});
		}),
	);
});
