import assert from "node:assert/strict";
import { test } from "node:test";
import {
	assistant,
	commandRun,
	custom,
	decision,
	event,
	failed,
	fileChanged,
	fileRead,
	foreignEvent,
	intent,
	ran,
	sessionStarted,
	toolCalled,
	toolResult,
	user,
	verdict,
	within,
} from "../../../test/rig/events.ts";
import { given, stateAfter } from "../../../test/rig/fold-specification.ts";
import type { Payload } from "../../log/event/types.ts";
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

test("the ledger holds each file once, with its reads, ranges and changes", () => {
	const work = given(
		fileRead("a.ts", { from: 1, to: 40, fileHash: "whole a" }),
		fileRead("a.ts", { from: 60, to: 80 }),
		fileChanged("a.ts"),
		fileChanged("b.ts", { kind: "write", added: 5, removed: null, hash: "whole b" }),
	);
	work.when(fileFold, ({ count, recent }) => ({ count, recent })).then({ count: 2, recent: ["a.ts", "b.ts"] });
	work
		.when(fileFold, ({ files: { "a.ts": a } }) => {
			const { reads, changes, added, removed, lastReadSeq, lastChangeSeq, hash, ranges } = a!;
			const shown = ranges.map((range) => [range.from, range.to, range.hash]);
			return { reads, changes, added, removed, lastReadSeq, lastChangeSeq, hash, shown };
		})
		.then({
			...{ reads: 2, changes: 1, added: 2, removed: 1, lastReadSeq: 2, lastChangeSeq: 3 },
			// An edit that tells no hash leaves none.
			hash: null,
			shown: [
				[1, 40, "slice a.ts 1"],
				[60, 80, "slice a.ts 60"],
			],
		});
	work
		.when(fileFold, ({ files: { "b.ts": b } }) => {
			const { reads, changes, added, removed, hash, history } = b!;
			return { reads, changes, added, removed, hash, history };
		})
		.then({
			...{ reads: 0, changes: 1, added: 5, removed: 0, hash: "whole b" },
			history: [{ seq: 4, ts: 4_000, kind: "write", added: 5, removed: null, actor: "agent", what: "" }],
		});
});

const hashOfA = ({ files }: ReturnType<typeof fileFold.initial>) => files["a.ts"]!.hash;

test("a change by somebody else leaves what the agent knows of the file", () => {
	const seen = fileRead("a.ts", { fileHash: "seen" });
	given(seen, fileChanged("a.ts", { actor: "other", hash: "new" }))
		.when(fileFold, (state) => [hashOfA(state), state.files["a.ts"]!.ranges.length])
		.then(["seen", 1]);
	given(seen, fileChanged("a.ts", { actor: "shell", hash: "new" }))
		.when(fileFold, hashOfA)
		.then("new");
});

test("a refresh by the guard lets its bytes count as seen", () => {
	const refresh = verdict({ verdict: "refresh", rule: "unchanged", path: "a.ts", hash: "with LF" });
	given(fileRead("a.ts", { fileHash: "with CRLF" }), refresh)
		.when(fileFold, hashOfA)
		.then("with LF");
	// It names no file that was read.
	given(refresh)
		.when(fileFold, ({ count }) => count)
		.then(0);
	// The transcript's event comes later and knows no hash.
	const look = verdict({ verdict: "refresh", path: "a.ts", callId: "c2", hash: "after" });
	given(fileRead("a.ts"), look, fileChanged("a.ts", { callId: "c2" }))
		.when(fileFold, hashOfA)
		.then("after");
	// The look was at another call.
	given(look, fileChanged("a.ts", { callId: "c2" }), fileChanged("a.ts", { callId: "c3" }))
		.when(fileFold, hashOfA)
		.then(null);
});

test("sessions in two folders of a project mean the same file", () => {
	given(
		within({ session: "inner" }, sessionStarted("/p/packages/app", { root: "/p" })),
		within({ session: "outer" }, sessionStarted("/p")),
		within({ session: "inner" }, fileRead("src/a.ts")),
		within({ session: "outer" }, fileChanged("packages/app/src/a.ts")),
		within({ session: "inner" }, fileRead("../lib/b.ts"), fileRead("/etc/hosts")),
	)
		.when(fileFold, ({ files }) => {
			const { reads, changes } = files["packages/app/src/a.ts"]!;
			return { names: Object.keys(files).sort(), reads, changes };
		})
		.then({ names: ["/etc/hosts", "packages/app/src/a.ts", "packages/lib/b.ts"], reads: 1, changes: 1 });
});

test("a file or a session may have any name", () => {
	given(fileRead("__proto__"), fileRead("constructor"), fileRead("7"), fileChanged("__proto__"))
		.when(fileFold, ({ files }) => {
			return [Object.keys(files), Object.getOwnPropertyDescriptor(files, "__proto__")!.value.changes];
		})
		.then([["7", "__proto__", "constructor"], 1]);
	given(within({ session: "__proto__" }, intent("x")))
		.when(intentFold, ({ sessions }) => [...newestFirst(sessions)].map(([session]) => session))
		.then(["__proto__"]);
});

test("payloads of other hands are passed over or read as far as they go", () => {
	const folds = [fileFold, failureFold, decisionFold, intentFold, latencyFold, progressFold, repoFold, sessionsFold];
	const types = ["FileRead", "FileChanged", "CommandRun", "Decision", "UserIntent", "Message", "RepoMap", "ToolResult"];
	const odd = types.flatMap((type) => [
		foreignEvent(type, {}),
		foreignEvent(type, { path: 7, text: null, command: [] }),
	]);
	for (const fold of folds) stateAfter(fold as StateFold<object>, ...odd);
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
	given(
		decision("tabs", { rationale: "habit" }),
		decision("no cache"),
		decision("spaces", { supersedes: 1 }),
		decision("four spaces", { supersedes: 3 }),
		decision("nonsense", { supersedes: 77 }),
	)
		.when(decisionFold, ({ active, superseded }) => ({
			active: active.map(({ seq, text }) => [seq, text]),
			superseded: superseded.map(({ text, rationale, by }) => [text, rationale, by]),
		}))
		.then({
			active: [
				[2, "no cache"],
				[4, "four spaces"],
				[5, "nonsense"],
			],
			superseded: [
				["tabs", "habit", 3],
				["spaces", null, 4],
			],
		});
});

test("two sessions at once keep an intent and a progress of their own", () => {
	const work = given(
		within({ session: "one" }, intent("first")),
		within({ session: "two" }, intent("other")),
		within({ session: "one" }, fileChanged("a"), intent("second")),
		within({ session: "two" }, fileChanged("b")),
	);
	work
		.when(intentFold, ({ sessions }) => {
			const [one, two] = [getRecent(sessions, "one")!, getRecent(sessions, "two")!];
			return { one: one.current.text, earlier: one.earlier.map(({ text }) => text), two: two.current.text };
		})
		.then({ one: "second", earlier: ["first"], two: "other" });
	// A new request of the first session starts from zero.
	work
		.when(progressFold, ({ sessions }) => ["one", "two"].map((of) => getRecent(sessions, of)!.sinceIntent.files))
		.then([[], ["b"]]);
});

test("a change by somebody else is no progress of the agent's, and the ledger knows whose it was", () => {
	const work = given(
		intent("mend it"),
		fileChanged("a", { actor: "other" }),
		fileChanged("b", { actor: "other" }),
		fileChanged("b", { actor: "shell" }),
		fileChanged("c"),
	);
	work
		.when(progressFold, ({ sessions }) => {
			const { changes, added, removed, files } = getRecent(sessions, "s")!.sinceIntent;
			return { changes, added, removed, files };
		})
		.then({ changes: 2, added: 4, removed: 2, files: ["b", "c"] });
	work
		.when(fileFold, ({ files }) => {
			return Object.values(files).map(({ path, changes, changesByOthers }) => [path, changes, changesByOthers]);
		})
		.then([
			["a", 1, 1],
			["b", 2, 1],
			["c", 1, 0],
		]);
});

test("progress counts answers, not the messages that an answer is written in", () => {
	const part = (id: string) => event("Message", { role: "assistant", form: "anthropic", raw: { message: { id } } });
	given(part("m1"), part("m1"), user("go on"), part("m2"), assistant("one"), assistant("two"))
		.when(progressFold, ({ sessions }) => getRecent(sessions, "s")!.turns)
		.then(4);
});

test("progress knows commands with their exits, and tools with their errors", () => {
	given(
		toolCalled("bash"),
		toolResult("bash", "c", { status: "error" }),
		commandRun("npm test", { exit: 1 }),
		commandRun("sleep 9", { exit: null, by: "user" }),
	)
		.when(progressFold, ({ sessions }) => {
			const { tools, commands, failedCommands, recentCommands } = getRecent(sessions, "s")!;
			const recent = recentCommands.map(({ command, exit, by }) => [command, exit, by]);
			return { tools, commands, failedCommands, recent };
		})
		.then({
			tools: { bash: { calls: 1, errors: 1 } },
			commands: 2,
			failedCommands: 1,
			recent: [
				["npm test", 1, "agent"],
				["sleep 9", null, "user"],
			],
		});
});

test("latency runs from the call to its result, each session's calls by themselves", () => {
	const bash = { calls: 2, totalMs: 350, maxMs: 300, recentMs: [300, 50] };
	given(
		within({ ts: 100, session: "one" }, toolCalled("bash")),
		within({ ts: 150, session: "two" }, toolCalled("bash")),
		within({ ts: 400, session: "one" }, toolResult("bash")),
		within({ ts: 200, session: "two" }, toolResult("bash")),
		toolResult("read", "never called"),
	)
		.when(latencyFold, ({ tools, pending }) => ({ tools: [...newestFirst(tools)], pending: pending.count }))
		.then({ tools: [["bash", bash]], pending: 0 });
	assert.equal(typicalMs(bash), 300);
});

test("the current session is that of the newest message, whoever else writes", () => {
	given(
		within({ session: "one" }, sessionStarted("/p", { root: "/p" })),
		within({ session: "two" }, sessionStarted("/p")),
		within({ session: "one" }, event("Message", { role: "user" })),
		within({ session: "cli" }, custom("note")),
	)
		.when(sessionsFold, ({ current, sessions }) => [current, [...newestFirst(sessions)].map(([session]) => session)])
		.then(["one", ["one", "two"]]);
});

test("the newest map of the repository holds", () => {
	const map = { head: "abc", files: 3, folders: [["src", 2]], extensions: [[".ts", 2]] } satisfies Payload<"RepoMap">;
	given(event("RepoMap", { head: null }), event("RepoMap", map))
		.when(repoFold, (state) => state.map)
		.then({ handle: /^e-/, ts: 2_000, ...map });
});

test("a command's failure is read from the message that caused it, and its green run resolves it", () => {
	const pytest = "cd /p && pytest -q tests/a.py";
	const output = "tests/a.py F\n\nFAILED tests/a.py::test_sum - AssertionError: 3 != 4\n1 failed in 0.1s";
	const red = [sessionStarted("/p"), failed(pytest, output)];
	given(red)
		.when(failureFold, ({ failures }) => failures.open.map(({ id, attempts }) => [id, attempts]))
		.then([[/^bash:pytest tests\/a\.py:[0-9a-f]{8}$/, 1]]);
	given(red, fileChanged("a.py"), ran(pytest, "1 passed in 0.1s"))
		.when(failureFold, ({ failures }) => [failures.open.length, failures.resolved.length])
		.then([0, 1]);
});
