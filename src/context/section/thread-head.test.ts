import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assistant, fileChanged, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { threadIn } from "../../state/thread/thread.ts";
import { threadFold } from "../../state/thread/thread-fold.ts";
import { bytesOf } from "./section.ts";
import { SEED_STYLE } from "./seed.ts";
import { renderNewest, renderTask, verbatim } from "./thread-head.ts";

function headAfter(...words: readonly SessionWord[]): string {
	const thread = threadIn(stateAfter(threadFold, ...words), "s");
	assert.ok(thread);
	const input = { thread, raw: "" };
	return [renderNewest(input, SEED_STYLE, 4_000), renderTask(input, SEED_STYLE, 4_000)]
		.flatMap(({ lines }) => lines)
		.join("\n");
}

const LONG = "Port the importer to the new storage, keep its command line, and move its tests along with it. ".repeat(
	2,
);
const work = (count: number) => Array.from({ length: count }, (_, at) => assistant(`Part ${at} of it is ported.`));

test("a described task is the task, with what came of the requests since", () => {
	const head = headAfter(
		user(LONG),
		...work(6),
		fileChanged("src/importer.ts"),
		user("Is the index built twice?"),
		assistant("No, once."),
		user("Then name the index after its table"),
		fileChanged("src/importer.ts"),
		assistant("It is named so now."),
		user("Go on."),
	);
	assert.match(head, /## The task \(m-\w+\)\nPort the importer/);
	assert.match(head, /Asked since \(m-\w+, answered\): Is the index built twice\?/);
	assert.match(head, /Asked since \(m-\w+, 1 file changed\): Then name the index/);
});

test("a few words that the work went on from are not called the task", () => {
	const head = headAfter(
		user("Rename the importer's option for the folder"),
		...work(14),
		fileChanged("src/options.ts"),
		user("now the help text says two folders, why?"),
		fileChanged("src/help.ts"),
		assistant("It says one now."),
		user("Thanks, and the page?"),
	);
	assert.match(head, /## The last larger request \(m-\w+\)\nRename the importer's option/);
	assert.doesNotMatch(head, /## The task/);
});

test("a request with its pastes cut is not called word for word", () => {
	const paste = Array.from({ length: 400 }, (_, at) => `INFO: row ${at} of the table was written`).join("\n");
	const head = headAfter(user(`Why is this so slow?\n${paste}`));
	assert.match(head, /The newest request when this was written, which is the task, its long parts cut/);
	assert.match(headAfter(user("Why is this so slow?")), /which is the task, word for word/);
});

const PARTS = Array.from(
	{ length: 9 },
	(_, at) =>
		`### ${at + 1}. Gauge ${at + 1}\n\n${"Read it once an hour. ".repeat(10)}\n\`\`\`sh\n${"read it\n".repeat(20)}\`\`\``,
);
const plan = threadIn(stateAfter(threadFold, user(`Carry out this plan.\n\n${PARTS.join("\n\n")}`)), "s")?.orders[0];

test("an order that is cut in its middle keeps the headings of what is cut, within its room", () => {
	assert.ok(plan);
	const text = verbatim("task", "The task", plan, SEED_STYLE, 2_400).lines.join("\n");
	for (const at of PARTS.keys()) assert.equal(text.split(`${at + 1}. Gauge ${at + 1}`).length, 2, `${at}`);
	assert.match(text, /\[… cut; whole: m-[0-9a-f]+ …\]\n\[In what is cut: \d\. Gauge \d; .*\]\n/);
	fc.assert(
		fc.property(fc.integer({ min: 300, max: 5_000 }), (bytes) => {
			assert.ok(bytesOf(verbatim("task", "The task", plan, SEED_STYLE, bytes).lines) <= bytes);
		}),
	);
});
