import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, call, ran, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { governingTask } from "./governing-task.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

function taskAfter(...words: readonly SessionWord[]): string | undefined {
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	assert.ok(thread);
	return governingTask(thread)?.text;
}

const TASK = "Port the importer to the new storage, keep its command line, and move its tests along with it.";
const work = (count: number) =>
	Array.from({ length: count }, (_, at) => assistant(`The importer's part ${at} is ported.`));

test("a long remark with little work after it does not replace the task", () => {
	const remark = `I have only seen this since last week, ${"and it began on one of the two machines, ".repeat(4)}as far as I know.`;
	assert.equal(taskAfter(user(TASK), ...work(20), user(remark), ...work(4)), TASK);
});

test("a question that leads to much work is the task", () => {
	const question = "why does the import take an hour?";
	assert.equal(taskAfter(user(question), ...work(14), user("and on the other machine?"), ...work(2)), question);
});

test("a pasted error is no task, however long", () => {
	const paste = `me@host demo % sync --all\nerror: sync: ${"dial tcp 127.0.0.1: connection refused; ".repeat(8)}`;
	assert.equal(taskAfter(user(TASK), ...work(8), user(paste), ...work(8)), TASK);
});

test("what is asked after a commit is a task of its own, with the work done on the agent's question", () => {
	const committed = ran("git commit -m port", "[main 1a2b3c4] Port the importer");
	const answers = call("AskUserQuestion", {}, 'User has answered your questions: "Which?"="The short one".');
	const command = "/recipe choose the fields of the report";
	assert.equal(
		taskAfter(user(TASK), ...work(20), committed, user(command), assistant("One question."), answers, ...work(6)),
		command,
	);
	assert.equal(
		taskAfter(user(TASK), ...work(20), user(command), assistant("One question."), answers, ...work(6)),
		TASK,
	);
});

test("a greeting is no task", () => {
	assert.equal(
		taskAfter(user("하이"), assistant("하이!"), user("표의 열 순서를 이름순으로 바꿔줘"), ...work(1)),
		"표의 열 순서를 이름순으로 바꿔줘",
	);
});
