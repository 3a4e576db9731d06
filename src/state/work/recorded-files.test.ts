import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../log/event/types.ts";
import { RecordedFiles, recordedFiles } from "./recorded-files.ts";

const CWD = "/home/dev/app";

class Session {
	readonly records: EventRecord[] = [];

	constructor() {
		this.add("SessionStarted", { cwd: CWD });
	}

	add(type: string, payload: object): this {
		const seq = this.records.length + 1;
		const fields = { seq, id: "", origin: "", session: "s", host: "pi", ts: seq, type, v: 1, cause: null, entry: null };
		this.records.push({ ...fields, payload: payload as EventRecord["payload"] });
		return this;
	}

	/** A call of Pi's and its result. */
	pi(tool: string, input: object, text: string, more: object = {}): this {
		const id = `c${this.records.length}`;
		const call = { role: "assistant", content: [{ type: "toolCall", id, name: tool, arguments: input }] };
		const result = { role: "toolResult", toolCallId: id, toolName: tool, content: [{ type: "text", text }], ...more };
		this.add("Message", { role: "assistant", form: "pi", raw: { type: "message", message: call } });
		return this.add("Message", { role: "toolResult", form: "pi", raw: { type: "message", message: result } });
	}

	/** A call of Claude Code's and its result, with what it noted beside. */
	claude(tool: string, input: object, content: string, toolUseResult?: object): this {
		const id = `c${this.records.length}`;
		const call = {
			type: "assistant",
			message: { role: "assistant", content: [{ type: "tool_use", id, name: tool, input }] },
		};
		const answer = { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] };
		this.add("Message", { role: "assistant", form: "anthropic", raw: call });
		return this.add("Message", {
			role: "toolResult",
			form: "anthropic",
			raw: { type: "user", message: answer, toolUseResult },
		});
	}

	files(): RecordedFiles {
		const files = new RecordedFiles();
		for (const record of this.records) files.apply(record);
		return files;
	}

	textOf(path: string): string | undefined {
		const content = this.files().read(path);
		return content.kind === "text" ? content.text : undefined;
	}

	partsOf(path: string): unknown {
		const content = this.files().read(path);
		return content.kind === "partial" ? content.parts : content.kind;
	}
}

const ABC = "a\nb\nc\n";

test("a file that was read whole is known whole, and edits are applied to it", () => {
	const session = new Session().pi("read", { path: "x.ts" }, ABC);
	assert.equal(session.textOf("x.ts"), ABC);
	session.pi("edit", { path: `${CWD}/x.ts`, oldText: "b", newText: "B\nbb" }, "done");
	assert.equal(session.textOf("x.ts"), "a\nB\nbb\nc\n");
	session.pi(
		"edit",
		{
			path: "x.ts",
			edits: [
				{ oldText: "a\n", newText: "" },
				{ oldText: "c", newText: "$&" },
			],
		},
		"done",
	);
	assert.equal(session.textOf("x.ts"), "B\nbb\n$&\n");
	session.pi("edit", { path: "x.ts", oldText: "bb", newText: "no" }, "failed", { isError: true });
	assert.equal(session.textOf("x.ts"), "B\nbb\n$&\n", "a call that failed changed nothing");
});

test("a written file is known whole, a deleted one is gone", () => {
	const session = new Session().pi("write", { path: "new/y.ts", content: "one\n" }, "ok");
	assert.equal(session.textOf("new/y.ts"), "one\n");
	const patch = "*** Begin Patch\n*** Delete File: new/y.ts\n*** End Patch";
	session.pi("apply_patch", { input: patch }, "ok");
	assert.equal(session.files().read("new/y.ts").kind, "deleted");
});

test("slices are kept by line, joined where they meet, and moved by edits above them", () => {
	const session = new Session()
		.pi(
			"read",
			{ path: "x", offset: 10, limit: 2 },
			"ten\neleven\n\n[90 more lines in file. Use offset=12 to continue.]",
		)
		.pi("read", { path: "x", offset: 12, limit: 1 }, "twelve\n\n[80 more lines in file. Use offset=13 to continue.]")
		.pi("read", { path: "x", offset: 40, limit: 1 }, "forty\n\n[1 more lines in file. Use offset=41 to continue.]");
	assert.deepEqual(session.partsOf("x"), [
		{ from: 10, lines: ["ten", "eleven", "twelve"] },
		{ from: 40, lines: ["forty"] },
	]);
	session.pi("edit", { path: "x", oldText: "eleven", newText: "11\n11.5" }, "done");
	assert.deepEqual(session.partsOf("x"), [
		{ from: 10, lines: ["ten", "11", "11.5", "twelve"] },
		{ from: 41, lines: ["forty"] },
	]);
});

test("Claude Code's numbers are no part of the text, and its notes make it whole", () => {
	const file = {
		filePath: `${CWD}/m.go`,
		content: "package m\n\nfunc f() {}\n",
		numLines: 4,
		startLine: 1,
		totalLines: 4,
	};
	const session = new Session().claude(
		"Read",
		{ file_path: `${CWD}/m.go` },
		"     1→package m\n     2→\n     3→func f() {}\n",
		{
			type: "text",
			file,
		},
	);
	assert.equal(session.textOf("m.go"), file.content);
	session.claude("Read", { file_path: `${CWD}/n.go` }, "    12→alpha\n    13→beta");
	assert.deepEqual(session.partsOf("n.go"), [{ from: 12, lines: ["alpha", "beta"] }]);
	const edit = { file_path: `${CWD}/n.go`, old_string: "beta", new_string: "gamma" };
	const original = "x\nbeta\n";
	session.claude("Edit", edit, "updated", {
		filePath: `${CWD}/n.go`,
		originalFile: original,
		oldString: "beta",
		newString: "gamma",
	});
	assert.equal(session.textOf("n.go"), "x\ngamma\n", "what the host noted of the file before the edit counts");
});

test("lines that contradict what was known make it known in stretches only", () => {
	const session = new Session()
		.pi("read", { path: "x" }, ABC)
		.pi("read", { path: "x", offset: 2, limit: 1 }, "changed\n\n[1 more lines in file. Use offset=3 to continue.]");
	const content = session.files().read("x");
	assert.equal(content.kind, "partial");
	assert.ok(content.kind === "partial" && content.parts.some(({ lines }) => lines.includes("changed")));
});

test("texts that a host has thrown away are not taken for the file's", () => {
	const evicted = "[Compacted history content evicted to durable cold storage]";
	const session = new Session().pi("read", { path: "x" }, evicted).pi("write", { path: "y", content: evicted }, "ok");
	assert.equal(session.files().read("x").kind, "unreadable");
	assert.equal(session.files().read("y").kind, "unreadable");
});

test("what the guard saw others do is applied where its diff fits", () => {
	const session = new Session().pi("read", { path: "x" }, ABC);
	session.add("FileChanged", {
		path: "x",
		kind: "edit",
		actor: "other",
		added: 1,
		removed: 1,
		diff: "@@ -2,1 +2,1 @@\n-b\n+beta\n",
	});
	assert.equal(session.textOf("x"), "a\nbeta\nc\n");
	session.add("FileChanged", { path: "x", kind: "edit", actor: "shell", added: 1, removed: 1 });
	assert.equal(session.files().read("x").kind, "unreadable", "nobody knows what it holds now");
});

test("files can be taken further event by event, and are as they were at any event", () => {
	const session = new Session()
		.pi("read", { path: "x" }, ABC)
		.pi("edit", { path: "x", oldText: "b", newText: "B" }, "ok");
	const log = {
		read: (query: { after?: number; upTo?: number; types?: readonly string[] } = {}) =>
			session.records.filter(
				({ seq, type }) => seq > (query.after ?? 0) && seq <= (query.upTo ?? 99) && (query.types ?? []).includes(type),
			),
	};
	const files = recordedFiles(log, 3);
	assert.deepEqual(files.read("x").kind === "text" && files.read("x"), {
		kind: "text",
		text: ABC,
		hash: files.read("x").kind === "text" ? (files.read("x") as { hash: string }).hash : "",
	});
	files.advance(log, 5);
	const now = files.read("x");
	assert.equal(now.kind === "text" ? now.text : "", "a\nB\nc\n");
	assert.deepEqual(now, recordedFiles(log, 5).read("x"));
	assert.deepEqual(files.paths(), ["x"]);
});

test("knows what commands and searches printed, as it knows what was read", () => {
	const session = new Session()
		.pi("bash", { command: "sed -n '3,4p' a.ts" }, "three\nfour\n")
		.pi("bash", { command: "cd pkg && nl -ba b.ts | head -2" }, "     1\tone\n     2\ttwo\n")
		.pi("bash", { command: "rg -n x c.ts" }, "7:x\n9:x y\n")
		.claude("Grep", { pattern: "x", path: "." }, "d.ts:5:x\nd.ts-6-y\n")
		.pi("bash", { command: "git diff e.ts" }, "--- a/e.ts\n+++ b/e.ts\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n");
	assert.deepEqual(session.partsOf("a.ts"), [{ from: 3, lines: ["three", "four"] }]);
	assert.deepEqual(session.partsOf("pkg/b.ts"), [{ from: 1, lines: ["one", "two"] }]);
	assert.deepEqual(session.partsOf("c.ts"), [
		{ from: 7, lines: ["x"] },
		{ from: 9, lines: ["x y"] },
	]);
	assert.deepEqual(session.partsOf("d.ts"), [{ from: 5, lines: ["x", "y"] }]);
	assert.deepEqual(session.partsOf("e.ts"), [{ from: 1, lines: ["one", "zwei"] }]);
});

test("a search changes nothing of a text that is known", () => {
	const session = new Session()
		.pi("read", { path: "a.ts", offset: 5 }, "five\nsix")
		.pi("bash", { command: "grep -n e a.ts" }, "4:vier\n5:five!\n");
	assert.deepEqual(session.partsOf("a.ts"), [{ from: 5, lines: ["five", "six"] }]);
});

test("a patch with notes of the agent puts its lines where they are, context included", () => {
	const patch = "*** Begin Patch\n*** Update File: a.ts\n@@\n x\n-y\n+z\n*** End Patch";
	const noted = { changes: [{ path: "a.ts", kind: "edit", patch: "@@ -7,2 +7,2 @@\n x\n-y\n+z\n" }] };
	const session = new Session().pi("apply_patch", { input: patch }, "Success.", { details: { noted } });
	assert.deepEqual(session.partsOf("a.ts"), [{ from: 7, lines: ["x", "z"] }]);
});

test("git checkout brings back the text of before the changes that no commit has", () => {
	const edit = (session: Session, from: string, to: string) =>
		session.pi("edit", { path: "src/a.ts", oldText: from, newText: to }, "Replaced.");
	const begin = () => {
		const session = new Session().pi("write", { path: "src/a.ts", content: "one\ntwo\n" }, "Wrote.");
		return edit(session.pi("bash", { command: "git add . && git commit -m begin" }, ""), "two", "three");
	};
	for (const command of [
		"git checkout -- src/a.ts",
		"git restore src",
		"cd src && git checkout a.ts",
		"git checkout .",
	])
		assert.equal(begin().pi("bash", { command }, "").textOf("src/a.ts"), "one\ntwo\n", command);
	const others = [
		"git checkout src/a.ts && git apply ../x.patch",
		"git checkout next",
		"git restore --staged src/a.ts",
		"git checkout HEAD~1 src/a.ts",
		"git log",
	];
	for (const command of others)
		assert.equal(begin().pi("bash", { command }, "").textOf("src/a.ts"), "one\nthree\n", command);
	const again = edit(begin().pi("bash", { command: "git commit -am next" }, ""), "three", "four");
	assert.equal(again.pi("bash", { command: "git checkout src/a.ts" }, "").textOf("src/a.ts"), "one\nthree\n");
	const seen = begin().pi("bash", { command: "git checkout src/a.ts" }, "");
	seen.add("FileChanged", { path: "src/a.ts", kind: "edit", actor: "shell", callId: `c${seen.records.length - 2}` });
	assert.equal(seen.textOf("src/a.ts"), "one\ntwo\n");
	const partly = new Session().pi("edit", { path: "a.ts", oldText: "x", newText: "y" }, "Replaced.");
	assert.equal(partly.pi("bash", { command: "git checkout a.ts" }, "").partsOf("a.ts"), "unreadable");
});
