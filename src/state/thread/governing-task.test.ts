import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, call, fileChanged, ran, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { governingTask, taskLevels } from "./governing-task.ts";
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

test("a long remark that only led to talk does not replace a task that was committed", () => {
	const committed = ran("git commit -m port", "[main 1a2b3c4] Port the importer");
	const remark = `It may be the clock, ${"which runs behind on one of the two machines since last week, ".repeat(3)}I think.`;
	assert.equal(taskAfter(user(TASK), ...work(14), committed, user(remark), ...work(9)), TASK);
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

test("a few words around the output of a command report on the task, though work was committed before", () => {
	const output = Array.from(
		{ length: 12 },
		(_, at) => `    importer_test.ts:${at}: no port is published for container ${at}`,
	);
	const report = `demo on main took 12s\n❯ npm test\n=== RUN importer\n\n${output.join("\n")}\n--- FAIL: importer (6.4s)\nFAIL`;
	const commit = ran("git commit -m port", "[main 1a2b3c4] Port the importer");
	assert.equal(taskAfter(user(TASK), ...work(14), commit, user(report), ...work(20)), TASK);
});

test("a task that many requests came after is over: the next one that something is done for takes its place", () => {
	const steps = Array.from({ length: 9 }, (_, at) => [user(`Look at part ${at} of the archive.`), ...work(1)]).flat();
	const next = "Rename the archive's folder everywhere.";
	const done = [ran("npm test", "Tests: 4 passed"), ran("npm test", "Tests: 5 passed"), ...work(2)];
	assert.equal(taskAfter(user(TASK), ...work(14), ...steps, user(next), ...done), next);
	assert.equal(taskAfter(user(TASK), ...work(14), ...steps.slice(0, 4), user(next), ...done), TASK);
});

const DOCUMENT = `${TASK} Describe every step of it in one document for the people who run the importer, with a table of the options and a drawing of the flow.`;
const edit = (path: string): SessionWord[] => [fileChanged(path), ...work(2)];

test("remarks, side questions and replies that only change the task's own files stay within it", () => {
	const remark = `This also covers the exporter, because both read the same table, ${"and the second one starts with the first, ".repeat(4)}as it always did.`;
	const words = [
		user(DOCUMENT),
		...edit("guide.md"),
		user(remark),
		...edit("guide.md"),
		user("What would be a good title for this document of ours?"),
		...work(3),
		user("yes and keep long lines unbroken"),
		...edit("guide.md"),
		user("Use shorter sentences in all of the document."),
		...edit("guide.md"),
	];
	assert.equal(taskAfter(...words), DOCUMENT);
});

test("a yes after a step that is done goes on with the task, not with the step", () => {
	const committed = ran("git commit -m plan", "[main 1a2b3c4] Write the plan");
	const step = "Can we not commit the notes on the tests, please? Move them to the ignored folder.";
	const words = [
		user(DOCUMENT),
		...edit("src/importer.ts"),
		user(step),
		committed,
		assistant("Moved. Next: 1, 2 or 3?"),
	];
	assert.equal(taskAfter(...words, user("1+2"), ...edit("src/importer.ts"), ...edit("src/store.ts")), DOCUMENT);
});

test("a request that only delivers is no task, and short words after an analysis have it carried out", () => {
	const analysis = "Analyse the report on the slow import at https://example.com/issues/7.";
	const words = [user(analysis), ...work(14), user("Take the second option, as you said."), ...edit("src/importer.ts")];
	assert.equal(taskAfter(...words, ...work(12)), analysis);
	const delivered = ran("git switch -c fix && git commit -m fix && git push", "[fix 1a2b3c4] Fix the import");
	assert.equal(
		taskAfter(...words, user("ok, can you commit and open a pull request?"), delivered, ...work(4)),
		analysis,
	);
});

test("a long order that is carried out in other files ends a task, however much was done for it", () => {
	const next =
		"Now write a page about the exporter for the people who only read the reports, with the three commands they need, and say what each of them prints and where it puts its files.";
	assert.equal(taskAfter(user(DOCUMENT), ...edit("guide.md"), ...work(60), user(next), ...edit("exporter.md")), next);
	assert.equal(taskAfter(user(DOCUMENT), ...edit("guide.md"), ...work(60), user(next), ...edit("guide.md")), DOCUMENT);
});

test("two words after the agent has spoken are no task: they belong to the request before", () => {
	const wish = "I would rename the slow flag and add a real fast one";
	const asked = assistant("Before I start: hard switch or not? With (c) and yes I begin.");
	assert.equal(
		taskAfter(user(wish), asked, user("I do 1"), assistant("Is that a?"), ...edit("a.ts"), ...work(20)),
		wish,
	);
});

test("an issue by its address is a task, and a yes to an offer is about what was offered", () => {
	const issue = "ok then maybe work on https://example.com/demo/issues/47";
	assert.equal(taskAfter(user(TASK), ...edit("importer.ts"), user(issue), ...edit("lease.ts")), issue);
	const offer = "can we take the token from the other program?";
	const yes = [assistant("We can, it keeps it in a file."), user("do this"), ...edit("token.ts"), ...work(14)];
	assert.equal(taskAfter(user(TASK), ...edit("importer.ts"), user(offer), ...yes), offer);
});

test("after many requests about other things the newest one that asks for something is the task", () => {
	const question = "why does the importer write its table twice, and does it lose rows?";
	const small = Array.from({ length: 9 }, (_, at) => [user(`Look at page ${at} of the guide.`), ...work(1)]).flat();
	const newest = "can you bring the guide's table of options up to date?";
	assert.equal(taskAfter(user(question), ...edit("importer.ts"), ...work(12), ...small, user(newest)), newest);
});

test("a few words that add to a described task, or have it delivered, replace it with no document that they name", () => {
	const add = "The list of the newest ones should show it too";
	const deliver = "commit it and update @CHANGELOG.md";
	const done = ran("git commit -m port", "[main 1a2b3c4] Port the importer");
	const words = [user(DOCUMENT), ...edit("guide.md"), ...work(20), user(add), ...edit("list.ts"), ...work(14)];
	assert.equal(taskAfter(...words), DOCUMENT);
	assert.equal(taskAfter(...words, user(deliver), ...edit("CHANGELOG.md"), done), DOCUMENT);
});

test("answers to the agent's numbered points are no task, however long", () => {
	const plan = "Look at the checks of the other repository and tell me which of them we need here.";
	const points = assistant("1. How much of it?\n2. With the slow ones?\n3. On which machines?");
	const answers = `1. all of it 2. yes, with the slow ones too 3. can you look whether we do that yet? ${"if not, add them as well ".repeat(6)}`;
	assert.equal(taskAfter(user(plan), ...work(4), points, user(answers), ...edit("ci.yml"), ...work(14)), plan);
});

test("the tasks before the one that governs are known, the oldest first", () => {
	const committed = ran("git commit -m port", "[main 1a2b3c4] Port the importer");
	const next = "Rename the archive's folder everywhere in the docs.";
	const thread = threadIn(
		stateAfter(threadFold, user(TASK), ...work(14), committed, user(next), ...edit("a.md"), ...edit("b.md")),
		"s",
	);
	assert.ok(thread);
	const { task, before } = taskLevels(thread);
	assert.deepEqual([task?.text, before.map(({ text }) => text)], [next, [TASK]]);
});

test("a crash that was pasted first is no task once something is asked for", () => {
	const paste = `it crashes\n\nTypeError: cannot read tides\n${Array.from({ length: 9 }, (_, at) => `    at read (src/a.ts:${at})`).join("\n")}`;
	const order = "Let the list of tides show the next one first";
	assert.equal(taskAfter(user(paste), ...work(40), user(order), ...edit("list.ts"), ...work(9)), order);
});

test("who begins with rules has the task after them", () => {
	const rules = "Never touch README.md. And answer in short sentences.";
	assert.equal(taskAfter(user(rules), assistant("Understood."), user(TASK), assistant("I start.")), TASK);
	assert.equal(taskAfter(user(rules), assistant("Understood.")), rules);
});
