import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, call, commandRun, fileChanged, ran, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { isFailedRun, proofsIn, provenWork, stillUncommitted } from "./proofs.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

test("commits, pushes, pull requests and test runs are proofs; a command's other lines are not", () => {
	assert.deepEqual(proofsIn("git commit -m x", "[main 1a2b3c4] Mend the cart\n 1 file changed"), [
		{ kind: "commit", text: "[main 1a2b3c4] Mend the cart" },
	]);
	assert.deepEqual(proofsIn("gh pr create", "https://github.com/a/b/pull/7"), [
		{ kind: "pull-request", text: "https://github.com/a/b/pull/7" },
	]);
	const merged = "2c7e464 Merge pull request #53 from dev/cart";
	assert.deepEqual(proofsIn("gh pr merge 53 --merge | tail -1", merged), [{ kind: "pull-request", text: merged }]);
	assert.deepEqual(proofsIn("ls", "a.ts\nb.ts"), []);
	assert.deepEqual(proofsIn("rg -n tokens docs", "docs/limits.md:305:- **Token**: If your 3 tests pass, go on"), []);
});

test("a run with failures is told from a green one", () => {
	for (const text of ["2 failed, 10 passed", "FAIL src/a.test.ts 1.2s", "tests 3 | fail 1", "12 examples, 1 failure"])
		assert.ok(isFailedRun({ kind: "tests", text }), text);
	for (const text of ["12 passed", "0 failed, 12 passed", "tests 3, fail 0", "12 examples, 0 failures"])
		assert.ok(!isFailedRun({ kind: "tests", text }), text);
});

test("a run in which one package fails is no green run, and is not among the work that is done", () => {
	const output = "ok  \tdemo/store\t1.2s\nFAIL\tdemo/cart\t0.4s\nok  \tdemo/tax\t0.1s";
	assert.deepEqual(proofsIn("go test ./...", output), [{ kind: "tests", text: "FAIL\tdemo/cart\t0.4s" }]);
	assert.deepEqual(doneAfter(ran("go test ./...", output)), []);
});

test("a package without tests, or without one that was asked for, proves nothing", () => {
	const run = (of: string) => proofsIn("go test ./...", `ok  \tdemo/store\t0.2s${of}`);
	assert.deepEqual(run(" [no tests to run]"), []);
	assert.deepEqual(run("\t[no test files]"), []);
	assert.equal(run("").length, 1);
});

test("commits that were taken back are not done", () => {
	const commit = (id: string) => ran(`git commit -m ${id}`, `[main ${id}] Step ${id}`);
	const made = [commit("aaaaaa1"), commit("bbbbbb2"), commit("cccccc3")];
	const [first, second] = ["[main aaaaaa1] Step aaaaaa1", "[main bbbbbb2] Step bbbbbb2"];
	assert.deepEqual(doneAfter(...made, ran("git reset --hard HEAD~2", "HEAD is now at aaaaaa1")), [first]);
	assert.deepEqual(doneAfter(...made, ran("git reset --soft bbbbbb2", "")), [second, first]);
	assert.deepEqual(doneAfter(...made, ran("git reset HEAD src/a.ts", "")).length, 3);
	const amended = ran("git commit --amend -m better", "[main dddddd4] Better");
	assert.deepEqual(doneAfter(...made, amended), ["[main dddddd4] Better", second, first]);
});

test("the branch of the work is the one that git named last, outside of folders for trials", () => {
	const branchAfter = (...words: readonly SessionWord[]) =>
		threadIn(stateAfter(threadFold, user("Do it."), ...words), "s")?.branch;
	const made = ran("git checkout -b feat/tides dev | tail -1", "");
	assert.equal(branchAfter(made), "feat/tides");
	assert.equal(branchAfter(made, ran("git status -sb", "## main...origin/main\n M a.ts")), "main");
	assert.equal(branchAfter(made, ran("git switch dev", "Switched to branch 'dev'")), "dev");
	assert.equal(branchAfter(made, ran("git commit -m x", "[fix/ebb 1a2b3c4] x")), "fix/ebb");
	assert.equal(branchAfter(made, ran("git status", "HEAD detached at 1a2b3c4")), "feat/tides");
	assert.equal(branchAfter(made, ran("cd /tmp/trial && git checkout -b x", "")), "feat/tides");
	assert.equal(branchAfter(made, ran("cat notes.md", "On branch other")), "feat/tides");
	const issue = "title: Leases\n## Stateless angle\n\n## Summary\nOn branch protection, see below";
	assert.equal(branchAfter(made, ran("git log -1 && gh issue view 7", issue)), "feat/tides");
	assert.equal(branchAfter(made, ran("git status --short --branch", "## main...origin/main [ahead 1]")), "main");
});

function doneAfter(...words: readonly SessionWord[]): string[] {
	const thread = threadIn(stateAfter(threadFold, user("Do it."), ...words), "s");
	assert.ok(thread);
	return provenWork(thread).map(({ text }) => text);
}

test("git status tells which files are still not committed, so a commit that the user made elsewhere counts", () => {
	const files = ["src/a.ts", "/home/dev/demo/src/b.ts", "docs/new/c.md"];
	assert.deepEqual(stillUncommitted("git status", "On branch main\nnothing to commit, working tree clean", files), []);
	assert.deepEqual(stillUncommitted("git status --short", " M src/b.ts\n?? docs/new/\n", files), files.slice(1));
	assert.deepEqual(stillUncommitted("git status", "Changes not staged:\n\tmodified:   src/a.ts\n", files), [
		"src/a.ts",
	]);
	assert.deepEqual(stillUncommitted("git status --porcelain", "", files), []);
	for (const [command, output] of [
		["git status --short | head -1", " M src/b.ts"],
		["git status src", "nothing to commit, working tree clean"],
		["ls", ""],
	] as const)
		assert.equal(stillUncommitted(command, output, files), undefined, command);
});

test("a commit whose output comes by a later call is proved, and an amended one is taken back once", () => {
	const later = (id: number, output: string) => call("write_stdin", { session_id: id, chars: "" }, output);
	const words = [
		call("exec_command", { cmd: "git commit -m one" }, "Process running with session ID 7\nOutput:\n"),
		later(7, "Process exited with code 0\nOutput:\n[main aaaaaa1] One"),
		call("exec_command", { cmd: "git commit --amend" }, "Process running with session ID 8\nOutput:\n"),
		later(8, "Process running with session ID 8\nOutput:\n[main bbbbbb2] One, amended"),
		later(8, "Process exited with code 0\nOutput:\n"),
	];
	assert.deepEqual(doneAfter(...words), ["[main bbbbbb2] One, amended"]);
});

test("a commit that a script of a trial prints is no proof", () => {
	assert.deepEqual(proofsIn("bash docs/demo.sh", "[main (root-commit) 1a2b3c4] first"), []);
	assert.equal(proofsIn("git -C . commit -m first", "[main (root-commit) 1a2b3c4] first").length, 1);
});

test("a commit that git printed nothing about is done: by the log that the command lists, or by its exit status", () => {
	const message = "git commit -q -m 'Keep the ebb tables'";
	assert.deepEqual(doneAfter(ran(`${message} && git log --oneline -2`, "1a2b3c4 Keep the ebb tables\n9f8e7d6 Start")), [
		"1a2b3c4 Keep the ebb tables",
	]);
	assert.deepEqual(doneAfter(commandRun(`git add -A && ${message}`, { exit: 0 })), ["committed: Keep the ebb tables"]);
	const heredoc = "git commit -q -F - <<'EOF'\nKeep the ebb tables\n\nThey were lost.\nEOF";
	assert.deepEqual(doneAfter(commandRun(heredoc, { exit: 0 })), ["committed: Keep the ebb tables"]);
	assert.deepEqual(doneAfter(commandRun(message, { exit: 1 })), []);
	assert.deepEqual(doneAfter(commandRun(`${message}; true`, { exit: 0 })), []);
	assert.deepEqual(doneAfter(ran("git log --oneline -2", "1a2b3c4 Keep the ebb tables")), []);
});

test("one package's line says that it stands for a run of many, and a runner that counts in two lines is read", () => {
	const output = ["ok  \tdemo/store\t1.2s", "ok  \tdemo/tax\t0.1s", "ok  \tdemo/cart\t0.3s"].join("\n");
	assert.equal(proofsIn("go test ./...", output).at(-1)?.text, "ok  \tdemo/cart\t0.3s (one of 3 packages, all ok)");
	assert.deepEqual(proofsIn("bun test", " 12 pass\n 0 fail"), [{ kind: "tests", text: "12 pass" }]);
	assert.ok(proofsIn("bun test", " 11 pass\n 1 fail").every(isFailedRun));
});

test("what the user took back is neither changed nor proved", () => {
	const after = (words: string) =>
		threadIn(stateAfter(threadFold, user("Port the store."), fileChanged("src/store.ts"), user(words)), "s")
			?.uncommitted;
	for (const words of [
		"I've reverted your changes - only the cart, please",
		"ok, I undid all the edits",
		"ich habe deine Änderungen verworfen",
	])
		assert.deepEqual(after(words), [], words);
	for (const words of ["can you say what I reverted?", "I've reverted the tests of the cart", "Revert your changes."])
		assert.deepEqual(after(words), ["src/store.ts"], words);
});

test("a commit proves what was ticked since the one before it, however many requests ago; of two, the one that names it", () => {
	const todo = (status: string) =>
		call("TodoWrite", {
			todos: [
				{ content: "Mend the ebb tables", status },
				{ content: "Add the moon phase", status },
			],
		});
	const small = Array.from({ length: 5 }, (_, at) => [user(`And what is in table ${at}?`), assistant("Nothing new.")]);
	const both = "[main 1a2b3c4] Mend the ebb tables\n[main 2b3c4d5] Add the moon phase";
	const words = [user("Do it."), todo("in_progress"), fileChanged("src/ebb.ts"), todo("completed"), ...small.flat()];
	const plan = threadIn(stateAfter(threadFold, ...words, ran("git commit -m a && git commit -m b", both)), "s")?.plan;
	assert.deepEqual(
		plan?.map(({ proof }) => proof?.text),
		["[main 1a2b3c4] Mend the ebb tables", "[main 2b3c4d5] Add the moon phase"],
	);
});

test("the newest check is known with what changed after it, also one that prints nothing", () => {
	const checkAfter = (...words: readonly SessionWord[]) => {
		const check = threadIn(stateAfter(threadFold, user("Do it."), fileChanged("a.ts"), ...words), "s")?.check;
		return check && [check.command, check.isGreen, check.since];
	};
	assert.equal(checkAfter(), null);
	assert.deepEqual(checkAfter(commandRun("npx tsc -p .", { exit: 0 })), ["tsc -p .", true, []]);
	assert.equal(checkAfter(commandRun("npx tsc -p . | tail -1", { exit: 0 })), null);
	const run = ran("npm test", "Tests: 4 passed");
	assert.deepEqual(checkAfter(run, fileChanged("b.ts")), ["npm test", true, ["b.ts"]]);
	assert.deepEqual(checkAfter(run, ran("npm test | tail -2", "1 failed, 3 passed")), ["npm test | tail -2", false, []]);
});
