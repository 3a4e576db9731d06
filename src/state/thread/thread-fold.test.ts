import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, fileChanged, ran, recordsOf, type SessionWord, user } from "../../../test/rig/events.ts";
import { foldRecords, given } from "../../../test/rig/fold-specification.ts";
import { governingTask } from "./governing-task.ts";
import { type ThreadState, threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const session = (rounds: number): SessionWord[] =>
	Array.from({ length: rounds }, (_, at) => [
		user(`Mend part ${at}. Never touch file-${at % 50}.ts. The port of part ${at} is ${7_000 + at} now.`),
		assistant(`I found the cause of ${at}: the port was wrong.`),
		ran("npm test", `Tests: ${at + 1} passed`),
		fileChanged(`src/part-${at % 30}.ts`),
	]).flat();

test("folding in two parts, through JSON between them, is folding at once", () => {
	const records = recordsOf(session(30));
	const half = foldRecords(threadFold, records.slice(0, 70));
	const state = JSON.parse(JSON.stringify(half)) as ThreadState;
	for (const record of records.slice(70)) threadFold.step(state, record);
	assert.deepEqual(state, foldRecords(threadFold, records));
});

test("the state stays within its room, however long the session is", () => {
	const bytes = (rounds: number) => JSON.stringify(foldRecords(threadFold, recordsOf(session(rounds)))).length;
	const [shorter, longer] = [bytes(600), bytes(1_200)];
	assert.ok(longer < 1_500_000, `${longer}`);
	assert.ok(longer < shorter * 2.1);
});

test("the newest request is word for word, a side question does not replace the task", () => {
	const task =
		"Move the whole billing module to the new ledger: schema, importer, reports. Keep the old tables until the last report is moved, and write down what you find in NOTES.md as you work.";
	const work = Array.from({ length: 4 }, (_, at) => fileChanged(`src/part-${at}.ts`));
	given(user(task), ...work, assistant("The schema is moved."), user("how big is the bundle right now?"))
		.when(threadFold, (state) => {
			const thread = threadIn(state, "s")!;
			return [governingTask(thread)?.text, thread.orders.at(-1)?.text];
		})
		.then([task, "how big is the bundle right now?"]);
});
