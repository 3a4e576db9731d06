import assert from "node:assert/strict";
import { test } from "node:test";
import {
	assistant,
	failed,
	fileChanged,
	ran,
	read,
	recordsOf,
	type SessionWord,
	user,
} from "../../../test/rig/events.ts";
import { foldRecords, given } from "../../../test/rig/fold-specification.ts";
import { governingTask } from "./governing-task.ts";
import { threadItems } from "./items.ts";
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

test("a document that the user names binds: its rules and check boxes are held", () => {
	const plan =
		"# Move\n\n- [ ] move the importer\n- [x] move the schema\n\nReports must stay on the old tables.\nThe sea is wide here.";
	given(
		user("Read docs/MOVE.md and do what it says."),
		read("docs/MOVE.md", { shown: plan }),
		read("docs/other.md", { shown: plan }),
	)
		.when(threadFold, (state) => threadIn(state, "s")?.ruleFiles.map(({ path, lines }) => [path, lines]))
		.then([
			["docs/MOVE.md", ["- [ ] move the importer", "- [x] move the schema", "Reports must stay on the old tables."]],
		]);
});

test("a document that the agent changes is what the work is about, also where it was read by its whole path", () => {
	given(
		user("Shorten docs/output.md, as docs/style.md says."),
		read("/home/ada/shop/docs/output.md", { shown: "Answers must stay short." }),
		read("/home/ada/shop/docs/style.md", { shown: "Sentences must stay short." }),
		fileChanged("docs/output.md"),
		read("/home/ada/shop/docs/output.md", { shown: "Answers must be short." }),
	)
		.when(threadFold, (state) => threadIn(state, "s")?.ruleFiles.map(({ path }) => path))
		.then(["/home/ada/shop/docs/style.md"]);
});

test("a document of the same name in another folder is not the one that the user names", () => {
	const shown = "Reports must stay on the old tables.";
	given(
		user("Read skills/tides/SKILL.md and do what it says."),
		read("skills/ebb/SKILL.md", { shown }),
		read("/home/ada/shop/skills/tides/SKILL.md", { shown }),
	)
		.when(threadFold, (state) => threadIn(state, "s")?.ruleFiles.map(({ path }) => path))
		.then(["/home/ada/shop/skills/tides/SKILL.md"]);
});

test("a session that is older than the twenty newest keeps its task, its rules and its last requests", () => {
	const records = (session: string, words: readonly SessionWord[]) =>
		recordsOf([...words]).map((record) => ({ ...record, session }));
	const old = records("old", [
		user("Move the billing module. Never touch the ledger."),
		...session(40),
		user("And now the report."),
	]);
	const newer = Array.from({ length: 30 }, (_, at) => records(`new-${at}`, [user(`Look at page ${at}.`)])).flat();
	const thread = threadIn(foldRecords(threadFold, [...old, ...newer]), "old");
	assert.ok(thread);
	assert.equal(thread.orders.at(-1)?.text, "And now the report.");
	assert.ok(thread.remarks.some(({ text }) => text === "Never touch file-39.ts."));
	assert.ok(JSON.stringify(thread).length < 20_000);
});

test("another use of a program is no form that works, advice is no error, and a look that finds nothing is no failed call", () => {
	const forms = (state: ThreadState) =>
		threadIn(state, "s")?.failedForms.map(({ call, error, works }) => [call, error, works]);
	given(
		user("Ship it."),
		failed("just run pack:all 2>&1", "error: no recipe pack:all found"),
		ran("just run test:ci 2>&1", "ok"),
		failed("tide add notes.txt", "hint: no error if you add --force\nerror: notes.txt is ignored"),
		ran("tide add --force notes.txt", ""),
		failed("ls out/*.html", "ls: cannot access 'out/*.html': No such file or directory", 2),
	)
		.when(threadFold, forms)
		.then([
			["just run pack:all 2>&1", "error: no recipe pack:all found", null],
			["tide add notes.txt", "error: notes.txt is ignored", "tide add --force notes.txt"],
		]);
});

test("what its parent asks of a sub-agent is the task of its thread, and no rule of the user", () => {
	const asked = user("Review commit 1a2b3c4. Never change a file.", { attribution: "agent" });
	const records = (session: string) =>
		recordsOf([asked, assistant("One finding.")]).map((record) => ({ ...record, session }));
	const told = threadIn(foldRecords(threadFold, records("main/sub")), "main/sub");
	assert.ok(told);
	assert.deepEqual(
		threadItems(told, "main/sub").map(({ kind, by, text }) => [kind, by, text]),
		[
			["task", "agent", "Review commit 1a2b3c4. Never change a file."],
			["order", "agent", "Review commit 1a2b3c4. Never change a file."],
		],
	);
	assert.deepEqual(threadIn(foldRecords(threadFold, records("main")), "main")?.orders, []);
});

/** A line of Claude Code's about its queue of words. */
const queue = (operation: string, content?: string): SessionWord =>
	line({ type: "queue-operation", operation, content });
const line = (raw: { readonly type: string; readonly [key: string]: unknown }): SessionWord => ({
	type: "Entry",
	host: "claude-code",
	payload: { kind: raw.type, raw: JSON.parse(JSON.stringify(raw)) },
});

test("words that the user types while the agent works are requests, once the model gets them", () => {
	const attached = (prompt: unknown) => line({ type: "attachment", attachment: { type: "queued_command", prompt } });
	given(
		user("Move the parser."),
		queue("enqueue", "and never touch the lexer, please"),
		queue("remove"),
		assistant("Good point."),
		// A newer version attaches them too, before or after.
		queue("enqueue", "use tabs"),
		queue("remove"),
		attached("use tabs"),
		attached([{ type: "text", text: "keep the tests green" }]),
		queue("enqueue", "keep the tests green"),
		queue("remove"),
		// Taken back into the prompt, and sent as a message of their own.
		queue("enqueue", "first thought"),
		queue("popAll", "first thought"),
		queue("enqueue", "second thought"),
		queue("dequeue"),
		user("second thought"),
		// A program's.
		attached("<task-notification>\n<task-id>a1</task-id>\n</task-notification>"),
		queue("enqueue", "/model"),
		queue("remove"),
	)
		.when(threadFold, (state) => {
			const { orders, remarks } = threadIn(state, "s")!;
			const task = governingTask({ orders: orders.slice(0, 4) })?.text;
			return [task, orders.map(({ text }) => text), remarks.map(({ kind, text }) => [kind, text])];
		})
		.then([
			"Move the parser.",
			["Move the parser.", "and never touch the lexer, please", "use tabs", "keep the tests green", "second thought"],
			[
				["rule", "and never touch the lexer, please"],
				["rule", "use tabs"],
				["rule", "keep the tests green"],
			],
		]);
});

test("what an answer leaves undone is open; what leads to calls, and how a program behaves later, is not", () => {
	const ends = (state: ThreadState) =>
		threadItems(threadIn(state, "s") ?? assert.fail(), "s").flatMap(({ kind, text }) =>
			kind === "open" || kind === "next" ? [[kind, text]] : [],
		);
	const answer =
		"The lock is fixed. A later follow-up run takes the same path as a fresh one. I did not run the whole suite.";
	const words = [user("Fix the lock of the harbour."), assistant("Let me read the lock's table first.")];
	given(...words, ran("cat lock.ts", ""))
		.when(threadFold, ends)
		.then([]);
	given(...words, ran("cat lock.ts", ""), assistant(answer))
		.when(threadFold, ends)
		.then([["open", "I did not run the whole suite."]]);
	given(...words, assistant("Done with the lock. Next I move the tables of the gauges."))
		.when(threadFold, ends)
		.then([["next", "Next I move the tables of the gauges"]]);
});
