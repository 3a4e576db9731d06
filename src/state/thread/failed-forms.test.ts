import assert from "node:assert/strict";
import { test } from "node:test";
import { call, failed, ran, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

function formsAfter(...words: readonly SessionWord[]) {
	const thread = threadIn(stateAfter(threadFold, user("Ship it."), ...words), "s");
	return thread?.failedForms.map(({ call, error, works }) => [call, error, works]);
}

test("a call whose work failed is no wrong form: tests, a build, a count of errors, a search that finds nothing", () => {
	assert.deepEqual(
		formsAfter(
			failed("go test ./...", "lookup example.test: no such host\n--- FAIL: TestSync (0.2s)\nFAIL\texample/sync\t0.3s"),
			failed("just lint", "a.ts is wrong\n[lint] ERROR task failed"),
			failed("npx check", "Found 3 errors."),
			failed('rg -n "nowhere" src', "Output:\n"),
			failed("sleep 60", "Command aborted"),
		),
		[],
	);
});

test("the error is what a program complains of, not a line of the file that it printed", () => {
	const output = "const kinds: Record<string, unknown> = {};\nsed: can't read src/gone.ts: No such file or directory";
	assert.deepEqual(formsAfter(failed("sed -n '1,9p' src/a.ts src/gone.ts", output)), [
		["sed -n '1,9p' src/a.ts src/gone.ts", "sed: can't read src/gone.ts: No such file or directory", null],
	]);
});

test("a form that works has all words of the call, without what the error names; a look at another file is none", () => {
	assert.deepEqual(
		formsAfter(
			failed("sed -n '1,9p' src/http.ts", "sed: src/http.ts: No such file or directory"),
			ran("sed -n '1,9p' src/smart-http.ts", "text"),
			failed("git gc --auto --dry-run", "error: unknown option `dry-run'"),
			ran("git gc --auto", ""),
			failed("cd src && grep -rn word .", "bash: line 1: cd: src: No such file or directory"),
			ran("grep -rn word .", "a.ts:1:word"),
		),
		[
			["sed -n '1,9p' src/http.ts", "sed: src/http.ts: No such file or directory", null],
			["git gc --auto --dry-run", "error: unknown option `dry-run'", "git gc --auto"],
			["cd src && grep -rn word .", "bash: line 1: cd: src: No such file or directory", "grep -rn word ."],
		],
	);
});

test("a call that the user refused without a word is kept with that", () => {
	const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
	assert.deepEqual(formsAfter(call("bash", { command: "git add -A" }, { text: refused, isError: true })), [
		["git add -A", "the user refused it", null],
	]);
});

test("a line of a file is no error of the program that prints it, and the same call through a pipe is no form that works", () => {
	assert.deepEqual(
		formsAfter(
			failed("cat src/hook.ts", "class Hook {\n\terror: result.error"),
			failed("bun run probe", "error: the relay is unknown"),
			ran("bun run probe 2>&1 | tail -5", "done"),
		),
		[["bun run probe", "error: the relay is unknown", null]],
	);
});
