/** The check of proofs reads the log a second time: it finds a proof that the files contradict, and none that they do not. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkProofs } from "../../bench/proofs.ts";
import { call, fileChanged, ran, read, recordsOf, type SessionWord, user } from "../rig/events.ts";

const todo = (status: string) => call("TodoWrite", { todos: [{ content: "Mend the cart", status }] }, "ok");
const write = (text: string) => [call("write", { path: "a.ts", content: text }, "ok"), fileChanged("a.ts")];
const tests = ran("npm test", "Tests: 12 passed, 12 total");
const begun = [user("Do it."), read("a.ts", { shown: "old\n" }), todo("in_progress"), ...write("new\n")];

function faults(...words: readonly SessionWord[]): readonly [number, number, readonly string[]] {
	const records = recordsOf([...words]);
	const { done, proved, wrong } = checkProofs("s", { read: () => records });
	return [done, proved, wrong.map(({ says }) => says)];
}

test("a proof that holds in the files is no fault, and an item without one is by the agent's word", () => {
	assert.deepEqual(faults(...begun, tests, todo("completed")), [1, 1, []]);
	assert.deepEqual(faults(...begun, todo("completed")), [1, 0, []]);
	assert.deepEqual(faults(...begun, tests, todo("completed"), ran("git checkout -- a.ts", "")), [1, 0, []]);
});

test("files that are as they were before the item was begun contradict its proof", () => {
	const commit = ran("git commit -am mend", "[main 2b3c4d5] mend");
	assert.deepEqual(faults(...begun, tests, todo("completed"), commit, ...write("old\n"), user("And now?")), [
		1,
		1,
		["its files are as they were before"],
	]);
});
