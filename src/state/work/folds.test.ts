import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../log/event/types.ts";
import { getRecent, newestFirst } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { sessionsFold } from "./current-session-fold.ts";
import { decisionFold } from "./decision-fold.ts";
import { failureFold } from "./failure-fold.ts";
import { changeSpot, fileFold } from "./file-fold.ts";
import { intentFold } from "./intent-fold.ts";
import { latencyFold, typicalMs } from "./latency-fold.ts";
import { progressFold } from "./progress-fold.ts";
import { repoFold } from "./repo-fold.ts";

type Given = readonly [type: string, payload: object, more?: Partial<EventRecord>];

function fold<State>(of: StateFold<State>, ...events: readonly Given[]): State {
	const state = of.initial();
	for (const [index, [type, payload, more]] of events.entries()) {
		of.step(state, {
			seq: index + 1,
			id: "",
			origin: "here",
			session: "s",
			host: "pi",
			ts: (index + 1) * 1_000,
			type,
			v: 1,
			cause: null,
			entry: null,
			payload: payload as EventRecord["payload"],
			...more,
		});
	}
	assert.deepEqual(JSON.parse(JSON.stringify(state)), state, "the state is plain JSON");
	return state;
}

const read = (path: string, from = 1, to: number | null = 9, more: object = {}): Given => [
	"FileRead",
	{ path, from, to, sliceHash: `slice ${path} ${from}`, tool: "read", callId: "c", ...more },
];
const changed = (path: string, more: object = {}): Given => [
	"FileChanged",
	{ path, kind: "edit", added: 2, removed: 1, actor: "agent", ...more },
];

test("the ledger holds each file once, with its reads, ranges and changes", () => {
	const state = fold(
		fileFold,
		read("a.ts", 1, 40, { fileHash: "whole a" }),
		read("a.ts", 60, 80),
		changed("a.ts"),
		changed("b.ts", { kind: "write", added: 5, removed: null, hash: "whole b" }),
	);
	assert.equal(state.count, 2);
	assert.deepEqual(state.recent, ["a.ts", "b.ts"]);
	const { "a.ts": a, "b.ts": b } = state.files;
	assert.deepEqual([a!.reads, a!.changes, a!.added, a!.removed, a!.lastReadSeq, a!.lastChangeSeq], [2, 1, 2, 1, 2, 3]);
	assert.deepEqual(
		a!.ranges.map(({ from, to, hash }) => [from, to, hash]),
		[
			[1, 40, "slice a.ts 1"],
			[60, 80, "slice a.ts 60"],
		],
	);
	assert.equal(a!.hash, null, "an edit that tells no hash leaves none");
	assert.deepEqual([b!.reads, b!.changes, b!.added, b!.removed, b!.hash], [0, 1, 5, 0, "whole b"]);
	assert.deepEqual(b!.history, [
		{ seq: 4, ts: 4_000, kind: "write", added: 5, removed: null, actor: "agent", what: "" },
	]);
});

test("a change by somebody else leaves what the agent knows of the file", () => {
	const state = fold(
		fileFold,
		read("a.ts", 1, 9, { fileHash: "seen" }),
		changed("a.ts", { actor: "other", hash: "new" }),
	);
	assert.equal(state.files["a.ts"]!.hash, "seen");
	assert.equal(state.files["a.ts"]!.ranges.length, 1);
	const shell = fold(
		fileFold,
		read("a.ts", 1, 9, { fileHash: "seen" }),
		changed("a.ts", { actor: "shell", hash: "new" }),
	);
	assert.equal(shell.files["a.ts"]!.hash, "new");
});

test("a refresh by the guard lets its bytes count as seen", () => {
	const refresh: Given = ["Verdict", { verdict: "refresh", rule: "unchanged", path: "a.ts", hash: "with LF" }];
	const state = fold(fileFold, read("a.ts", 1, 9, { fileHash: "with CRLF" }), refresh);
	assert.equal(state.files["a.ts"]!.hash, "with LF");
	assert.equal(fold(fileFold, refresh).count, 0, "it names no file that was read");
	const look = (callId: string, hash: string): Given => ["Verdict", { verdict: "refresh", path: "a.ts", callId, hash }];
	const edited = fold(fileFold, read("a.ts"), look("c2", "after"), changed("a.ts", { callId: "c2" }));
	assert.equal(edited.files["a.ts"]!.hash, "after", "the transcript's event comes later and knows no hash");
	const later = fold(
		fileFold,
		look("c2", "after"),
		changed("a.ts", { callId: "c2" }),
		changed("a.ts", { callId: "c3" }),
	);
	assert.equal(later.files["a.ts"]!.hash, null, "the look was at another call");
});

test("sessions in two folders of a project mean the same file", () => {
	const state = fold(
		fileFold,
		["SessionStarted", { cwd: "/p/packages/app", root: "/p" }, { session: "inner" }],
		["SessionStarted", { cwd: "/p" }, { session: "outer" }],
		[...read("src/a.ts").slice(0, 2), { session: "inner" }] as unknown as Given,
		[...changed("packages/app/src/a.ts").slice(0, 2), { session: "outer" }] as unknown as Given,
		[...read("../lib/b.ts").slice(0, 2), { session: "inner" }] as unknown as Given,
		[...read("/etc/hosts").slice(0, 2), { session: "inner" }] as unknown as Given,
	);
	assert.deepEqual(Object.keys(state.files).sort(), ["/etc/hosts", "packages/app/src/a.ts", "packages/lib/b.ts"]);
	assert.equal(state.files["packages/app/src/a.ts"]!.reads, 1);
	assert.equal(state.files["packages/app/src/a.ts"]!.changes, 1);
});

test("a file or a session may have any name", () => {
	const state = fold(fileFold, read("__proto__"), read("constructor"), read("7"), changed("__proto__"));
	assert.deepEqual(Object.keys(state.files), ["7", "__proto__", "constructor"]);
	assert.equal(Object.getOwnPropertyDescriptor(state.files, "__proto__")!.value.changes, 1);
	const intents = fold(intentFold, ["UserIntent", { text: "x" }, { session: "__proto__" }]);
	assert.deepEqual(
		[...newestFirst(intents.sessions)].map(([session]) => session),
		["__proto__"],
	);
});

test("payloads of other hands are passed over or read as far as they go", () => {
	for (const of of [
		fileFold,
		failureFold,
		decisionFold,
		intentFold,
		latencyFold,
		progressFold,
		repoFold,
		sessionsFold,
	]) {
		const odd = ["FileRead", "FileChanged", "CommandRun", "Decision", "UserIntent", "Message", "RepoMap", "ToolResult"];
		fold(
			of as StateFold<object>,
			...odd.flatMap((type): Given[] => [
				[type, {}],
				[type, { path: 7, text: null, command: [] }],
			]),
		);
	}
});

test("a change is found again by its longest new text", () => {
	const diff = "--- a/x\n+++ b/x\n@@ -10,4 +10,6 @@\n one\n-two\n+2\n+22\n three\n+and a longer line\n four\n";
	assert.deepEqual(changeSpot(diff), { line: 14, text: "and a longer line" });
	assert.deepEqual(changeSpot("@@ -5,2 +5,1 @@\n a\n-b\n"), { line: 6, text: null });
	assert.equal(changeSpot("no diff"), null);
	assert.equal(changeSpot(null), null);
	const long = changeSpot(`@@ -1 +1 @@\n+${"é".repeat(900)}\n`);
	assert.equal(long!.text!.length, 400);
});

test("decisions hold until another one replaces them", () => {
	const state = fold(
		decisionFold,
		["Decision", { text: "tabs", rationale: "habit" }],
		["Decision", { text: "no cache" }],
		["Decision", { text: "spaces", supersedes: 1 }],
		["Decision", { text: "four spaces", supersedes: 3 }],
		["Decision", { text: "nonsense", supersedes: 77 }],
	);
	assert.deepEqual(
		state.active.map(({ seq, text }) => [seq, text]),
		[
			[2, "no cache"],
			[4, "four spaces"],
			[5, "nonsense"],
		],
	);
	assert.deepEqual(
		state.superseded.map(({ text, rationale, by }) => [text, rationale, by]),
		[
			["tabs", "habit", 3],
			["spaces", null, 4],
		],
	);
});

test("two sessions at once keep an intent and a progress of their own", () => {
	const in1 = { session: "one" };
	const in2 = { session: "two" };
	const events: Given[] = [
		["UserIntent", { text: "first" }, in1],
		["UserIntent", { text: "other" }, in2],
		["FileChanged", { path: "a", added: 3, removed: 1 }, in1],
		["UserIntent", { text: "second" }, in1],
		["FileChanged", { path: "b", added: 1, removed: null }, in2],
	];
	const intents = fold(intentFold, ...events);
	assert.equal(getRecent(intents.sessions, "one")!.current.text, "second");
	assert.deepEqual(
		getRecent(intents.sessions, "one")!.earlier.map(({ text }) => text),
		["first"],
	);
	assert.equal(getRecent(intents.sessions, "two")!.current.text, "other");
	const progress = fold(progressFold, ...events);
	assert.deepEqual(getRecent(progress.sessions, "one")!.sinceIntent.files, [], "the new request begins anew");
	assert.deepEqual(getRecent(progress.sessions, "two")!.sinceIntent.files, ["b"]);
});

test("progress counts answers, not the messages that an answer is written in", () => {
	const part = (id: string): Given => ["Message", { role: "assistant", form: "anthropic", raw: { message: { id } } }];
	const pi: Given = ["Message", { role: "assistant", form: "pi", raw: { message: { role: "assistant" } } }];
	const user: Given = ["Message", { role: "user", form: "pi", raw: {} }];
	const state = fold(progressFold, part("m1"), part("m1"), user, part("m2"), pi, pi);
	assert.equal(getRecent(state.sessions, "s")!.turns, 4);
});

test("progress knows commands with their exits, and tools with their errors", () => {
	const state = fold(
		progressFold,
		["ToolCalled", { tool: "bash", callId: "1" }],
		["ToolResult", { tool: "bash", callId: "1", status: "error" }],
		["CommandRun", { command: "npm test", exit: 1, by: "agent" }],
		["CommandRun", { command: "sleep 9", exit: null, by: "user" }],
	);
	const { tools, commands, failedCommands, recentCommands } = getRecent(state.sessions, "s")!;
	assert.deepEqual(tools, { bash: { calls: 1, errors: 1 } });
	assert.deepEqual([commands, failedCommands], [2, 1]);
	assert.deepEqual(
		recentCommands.map(({ command, exit, by }) => [command, exit, by]),
		[
			["npm test", 1, "agent"],
			["sleep 9", null, "user"],
		],
	);
});

test("latency runs from the call to its result, each session's calls by themselves", () => {
	const state = fold(
		latencyFold,
		["ToolCalled", { tool: "bash", callId: "1" }, { ts: 100, session: "one" }],
		["ToolCalled", { tool: "bash", callId: "1" }, { ts: 150, session: "two" }],
		["ToolResult", { tool: "bash", callId: "1" }, { ts: 400, session: "one" }],
		["ToolResult", { tool: "bash", callId: "1" }, { ts: 200, session: "two" }],
		["ToolResult", { tool: "read", callId: "never called" }],
	);
	const bash = { calls: 2, totalMs: 350, maxMs: 300, recentMs: [300, 50] };
	assert.deepEqual([...newestFirst(state.tools)], [["bash", bash]]);
	assert.equal(state.pending.count, 0);
	assert.equal(typicalMs(bash), 300);
});

test("the current session is that of the newest message, whoever else writes", () => {
	const state = fold(
		sessionsFold,
		["SessionStarted", { cwd: "/p", root: "/p" }, { session: "one" }],
		["SessionStarted", { cwd: "/p" }, { session: "two" }],
		["Message", { role: "user" }, { session: "one" }],
		["Custom", { name: "note" }, { session: "cli" }],
	);
	assert.equal(state.current, "one");
	assert.deepEqual(
		[...newestFirst(state.sessions)].map(([session]) => session),
		["one", "two"],
	);
});

test("the newest map of the repository holds", () => {
	const map = { head: "abc", files: 3, folders: [["src", 2]], extensions: [[".ts", 2]] };
	const state = fold(repoFold, ["RepoMap", { head: null, files: 0, folders: [], extensions: [] }], ["RepoMap", map]);
	assert.deepEqual(state.map, { handle: state.map!.handle, ts: 2_000, ...map });
});

test("a command's failure is read from the message that caused it, and its green run resolves it", () => {
	const result = (text: string): Given => [
		"Message",
		{
			role: "toolResult",
			form: "pi",
			raw: { message: { role: "toolResult", toolCallId: "c", toolName: "bash", content: [{ type: "text", text }] } },
		},
	];
	const ran = (exit: number, cause: number): Given => [
		"CommandRun",
		{ command: "cd /p && pytest -q tests/a.py", exit, by: "agent", tool: "bash", callId: "c" },
		{ cause },
	];
	const output = "tests/a.py F\n\nFAILED tests/a.py::test_sum - AssertionError: 3 != 4\n1 failed in 0.1s";
	const broken = fold(failureFold, ["SessionStarted", { cwd: "/p" }], result(output), ran(1, 2));
	const [failure] = broken.failures.open;
	assert.match(failure!.id, /^bash:pytest tests\/a\.py:[0-9a-f]{8}$/);
	assert.equal(failure!.attempts, 1);
	const fixed = fold(
		failureFold,
		["SessionStarted", { cwd: "/p" }],
		result(output),
		ran(1, 2),
		changed("a.py"),
		result("1 passed in 0.1s"),
		ran(0, 5),
	);
	assert.equal(fixed.failures.open.length, 0);
	assert.equal(fixed.failures.resolved.length, 1);
});
