import { test } from "node:test";
import { assistant, call, fileChanged, ran, user } from "../../../test/rig/events.ts";
import { given } from "../../../test/rig/fold-specification.ts";
import { isPlanInWork } from "./plan-items.ts";
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
	given(user("Port the importer."), todos("in_progress"), user("Which Node do we need?"))
		.when(threadFold, inWork)
		.then(true);
});
