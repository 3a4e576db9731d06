import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, call, fileChanged, ran, user } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { threadItems } from "./items.ts";
import { currentItem, isPlanInWork } from "./plan-items.ts";
import { type ThreadState, threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const plan = (state: ThreadState) =>
	(threadIn(state, "s")?.plan ?? []).map(({ text, state: at, proof }) => [text, at, proof?.text ?? null]);
const todos = (...statuses: readonly string[]) =>
	call("TodoWrite", { todos: statuses.map((status, at) => ({ content: `step ${at + 1}`, status })) }, "ok");
const tests = ran("npm test", "# tests 12\nTests: 12 passed, 12 total");

test("an item that is done has the proof that came while it was worked on", () => {
	given(user("Do it."), todos("in_progress", "pending"), fileChanged("a.ts"), tests, todos("completed", "pending"))
		.when(threadFold, plan)
		.then([
			["step 1", "done", "Tests: 12 passed, 12 total"],
			["step 2", "open", null],
		]);
});

test("tests that ran before the last change of a file prove nothing", () => {
	given(user("Do it."), todos("in_progress"), tests, fileChanged("a.ts"), todos("completed"))
		.when(threadFold, plan)
		.then([["step 1", "done", null]]);
});

test("tests that failed prove nothing", () => {
	given(
		user("Do it."),
		todos("in_progress"),
		ran("npm test", "Tests: 2 failed, 10 passed, 12 total"),
		todos("completed"),
	)
		.when(threadFold, plan)
		.then([["step 1", "done", null]]);
});

test("a proof from before an item was begun is not its proof", () => {
	given(user("Do it."), tests, todos("in_progress"), assistant("Done."), todos("completed"))
		.when(threadFold, plan)
		.then([["step 1", "done", null]]);
});

test("tests and commits that follow prove an item that was ticked before them", () => {
	given(user("Do it."), todos("in_progress"), fileChanged("a.ts"), todos("completed"), tests)
		.when(threadFold, plan)
		.then([["step 1", "done", "Tests: 12 passed, 12 total"]]);
});

test("a plan is in work until it is done and something else is asked for", () => {
	const inWork = (state: ThreadState) => {
		const thread = threadIn(state, "s");
		return thread && isPlanInWork(thread);
	};
	const done = [user("Port the importer."), todos("in_progress"), todos("completed")];
	given(...done, user("yes, go on"))
		.when(threadFold, inWork)
		.then(true);
	given(...done, user("Now write the page on exports."))
		.when(threadFold, inWork)
		.then(false);
	const open = [user("Port the importer."), todos("in_progress", "pending")];
	given(...open, user("Which Node do we need?"))
		.when(threadFold, inWork)
		.then(true);
	given(...open, user("Now write the page on exports."))
		.when(threadFold, inWork)
		.then(false);
	given(...open, user("Now write the page on exports."), todos("completed", "in_progress"))
		.when(threadFold, inWork)
		.then(true);
});

const [begun, edited, ticked] = [todos("in_progress"), fileChanged("src/a.ts"), todos("completed")];
const unproved = [["step 1", "done", null]];

test("a commit in a folder for trials, or the first one of another repository, proves nothing of the project", () => {
	const trial = ran("cd /tmp/trial && git init && git commit -m x", "[main 1a2b3c4] x");
	given(user("Do it."), begun, edited, trial, ticked).when(threadFold, plan).then(unproved);
	const own = ran("git commit -m y", "[main 2b3c4d5] y");
	const other = ran("cd ../other && git commit -m z", "[main (root-commit) 3c4d5e6] z");
	given(user("Do it."), own, begun, edited, other, ticked).when(threadFold, plan).then(unproved);
	given(user("Do it."), begun, edited, other, ticked)
		.when(threadFold, plan)
		.then([["step 1", "done", "[main (root-commit) 3c4d5e6] z"]]);
});

test("an item for which no file changed is proved only by what it names", () => {
	given(user("Do it."), begun, tests, ticked).when(threadFold, plan).then(unproved);
	const run = (status: string) => call("TodoWrite", { todos: [{ content: "Run the tests", status }] }, "ok");
	given(user("Do it."), run("in_progress"), tests, run("completed"))
		.when(threadFold, plan)
		.then([["Run the tests", "done", "Tests: 12 passed, 12 total"]]);
});

test("a commit from before the last change is not the proof of what changed after it", () => {
	const commit = ran("git commit -m y", "[main 2b3c4d5] y");
	given(user("Do it."), begun, commit, edited, ticked).when(threadFold, plan).then(unproved);
});

test("work whose files were taken back is not proved, unless it was committed", () => {
	for (const command of [
		"git checkout -- src/a.ts",
		"git restore src/a.ts",
		"git reset --hard",
		"git checkout src/a.ts",
	])
		given(user("Do it."), begun, edited, tests, ticked, ran(command, ""), tests).when(threadFold, plan).then(unproved);
	const proved = [["step 1", "done", "Tests: 12 passed, 12 total"]];
	for (const command of ["git restore --staged src/a.ts", "git checkout -- src/b.ts", "git checkout dev"])
		given(user("Do it."), begun, edited, tests, ticked, ran(command, "")).when(threadFold, plan).then(proved);
	const commit = ran("git commit -m y", "[main 2b3c4d5] y");
	given(user("Do it."), begun, edited, tests, ticked, commit, ran("git reset --hard", ""))
		.when(threadFold, plan)
		.then(proved);
});

test("a commit that was taken back proves no item; one that was amended is proved by the new one", () => {
	const commit = ran("git commit -m y", "[main 2b3c4d5] y");
	for (const command of ["git reset --hard HEAD~1", "git revert --no-edit 2b3c4d5", "git revert HEAD"]) {
		const back = ran(command, '[main 4d5e6f7] Revert "y"');
		given(user("Do it."), begun, edited, ticked, commit, back).when(threadFold, plan).then(unproved);
	}
	given(user("Do it."), begun, edited, ticked, commit, ran("git commit --amend -m z", "[main 3c4d5e6] z"))
		.when(threadFold, plan)
		.then([["step 1", "done", "[main 3c4d5e6] z"]]);
});

test("a run that fails ends what an earlier one proved", () => {
	const failed = ran("npm test", "Tests: 2 failed, 10 passed, 12 total");
	given(user("Do it."), begun, edited, tests, ticked, failed).when(threadFold, plan).then(unproved);
});

test("a plan that newer requests have replaced gives no next step", () => {
	const next = (state: ThreadState) =>
		threadItems(threadIn(state, "s") ?? assert.fail(), "s").flatMap(({ kind, text }) =>
			kind === "next" ? [text] : [],
		);
	given(user("Port the importer."), begun).when(threadFold, next).then(["step 1"]);
	given(user("Port the importer."), begun, user("Now write the page on exports.")).when(threadFold, next).then([]);
});

for (const words of [
	"hm, it still crashes",
	"das geht nicht",
	"no funciona",
	"まだエラーが出る",
	"还是不行",
	"아직도 느려",
]) {
	test(`what the user says does not work is not proved (${words})`, () => {
		given(user("Do it."), begun, edited, tests, ticked, user(words)).when(threadFold, plan).then(unproved);
	});
}

test("of several items in work the one that was begun last is the current one", () => {
	const item = (text: string, state: "open" | "doing" | "done", seq: number) => ({ text, state, seq });
	const plan = [item("a", "doing", 3), item("b", "done", 4), item("c", "doing", 7), item("d", "open", 1)];
	assert.equal(currentItem(plan)?.text, "c");
	assert.equal(currentItem([item("a", "done", 3), item("d", "open", 1)])?.text, "d");
});
