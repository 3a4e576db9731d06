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

test("a reply is no task: the work it sets off belongs to the request that describes it", () => {
	const idea = `Would it be enough if we stored the lines at each start, ${"and counted those of the user apart, ".repeat(4)}as we do for files?`;
	const proposal = assistant("It would. I can store them in the session's state. Shall I?");
	const words = [user(TASK), ...work(10), user(idea), proposal, user("yes, add a test of several steps"), ...work(16)];
	assert.equal(taskAfter(...words), idea);
	assert.equal(taskAfter(user(TASK), ...work(10), proposal, user("fix it"), ...work(16)), TASK);
	assert.equal(taskAfter(user(TASK), ...work(10), proposal, user("1+2"), ...work(16)), TASK);
});

test("a question with a long paste does not replace the task, and a request for which a branch was made does", () => {
	const paste = `Why is it at the top left?\n\n${"The tab is simple to add to any page. ".repeat(8)}`;
	assert.equal(taskAfter(user(TASK), ...work(20), user(paste), ...work(9)), TASK);
	const next = "maybe let's first set up a docker based test of the uploads";
	assert.equal(taskAfter(user(TASK), ...work(20), user(next), ...work(6)), TASK);
	const branch = ran("git switch -c feat/docker", "");
	assert.equal(taskAfter(user(TASK), ...work(20), user(next), branch, ...work(6)), next);
});
