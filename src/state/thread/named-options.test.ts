import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { namedOptions } from "./named-options.ts";
import { type ThreadRemark, threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const OFFER = assistant(
	"Two ways:\n\n1. Read the ships' logs once a day.\n2. **Ask each ship** when it docks.\n\nOr later:\n- **(c) Radio**: every hour.",
);

function namedBy(...words: readonly SessionWord[]): string[] {
	const thread = threadIn(stateAfter(threadFold, user("How do we count the ships?"), ...words), "s");
	const last = thread?.orders.at(-1);
	assert.ok(thread && last);
	return [...(namedOptions(thread, last.handle, last.text)?.options ?? [])];
}

test("a reply by number or letter names the agent's option, also after an answer between them", () => {
	const [second, third] = ["2: Ask each ship when it docks.", "c: Radio: every hour."];
	for (const words of ["2", "let's do 2 first", "ok, option 2.", "#2 please", "do c", "or no, (c)"])
		assert.deepEqual(namedBy(OFFER, user(words)), [words.includes("2") ? second : third], words);
	assert.deepEqual(namedBy(OFFER, user("1+2")), ["1: Read the ships' logs once a day.", second]);
	assert.deepEqual(namedBy(OFFER, user("yes,"), assistant("Starting with the logs."), user("no, do c")), [third]);
});

test("numbers that count, and lists of the user's own, name no option", () => {
	for (const words of ["all 2 ships", "wait 2 minutes", "use port 2200", "I saw it in b once", "Next:\n1. paint it"])
		assert.deepEqual(namedBy(OFFER, user(words)), [], words);
	assert.deepEqual(namedBy(assistant("Which one?"), user("2")), []);
});

test("a list within an item, and one between two headings, gives no option of the outer list", () => {
	const headings = assistant(
		"Sure.\n\n## 1. Count them by hand\n\nFirst:\n- a pencil\n\n---\n\n## 2. Count them by radar\n\nThat means:\n\n1. buy a radar\n2. turn it on\n\n## My advice\n\nBegin with the first.",
	);
	assert.deepEqual(namedBy(headings, user("okay I approve #1")), ["1: Count them by hand"]);
	const nested = assistant(
		"Three things:\n\n1. **Where.** Options:\n   - **(a) Harbour** by day\n   - **(b) Sea** by night\n2. **Who** counts?\n3. When?",
	);
	assert.deepEqual(namedBy(nested, user("do 1")), ["1: Where. Options: - (a) Harbour by day - (b) Sea by night"]);
	assert.deepEqual(namedBy(nested, user("do b")), ["b: Sea by night"]);
	const closing = assistant(
		"## 1. Harbour\n\nFar.\n\n## 2. Sea\n\nWide.\n\nIf you want, I can:\n1. count now, or\n2. wait",
	);
	assert.deepEqual(namedBy(closing, user("1")), ["1: count now"]);
});

function decidedBy(...words: readonly SessionWord[]): ThreadRemark[] {
	const thread = threadIn(stateAfter(threadFold, user("Rename the harbour, but keep the old sign."), ...words), "s");
	return thread?.remarks.filter(({ kind }) => kind === "decision") ?? [];
}

const SIGNS = assistant(
	"Before I begin:\n\n1. **The sign.** Options:\n   - **(a) Both** signs stay\n   - **(c) Removal**: the old sign of the harbour goes\n2. **The date**: May?\n3. **The paint**: red?",
);

test("a choice of an option is a decision with the option's words, and one that turns round replaces it", () => {
	const [first, second, ...rest] = decidedBy(SIGNS, user("I do 1"), assistant("The sign then."), user("or no, do c"));
	assert.equal(rest.length, 0);
	assert.match(first?.text ?? "", /^I do 1 \(the agent's "1: The sign\. Options: .*Removal/);
	assert.equal(first?.replacedBy, second?.handle);
	assert.equal(second?.text, `or no, do c (the agent's "c: Removal: the old sign of the harbour goes")`);
	assert.equal(second?.replacedBy, null);
	assert.deepEqual(
		decidedBy(SIGNS, user("do 2"), assistant("Done."), user("do 3")).map(({ replacedBy }) => replacedBy),
		[null, null],
	);
});

test("a decision for which the agent gave options points to the one that was chosen", () => {
	const start = user("I'd go with renaming the harbour and keep the old sign instead of a new one.");
	const thread = threadIn(stateAfter(threadFold, start, SIGNS, user("do c")), "s");
	const [before, choice] = thread?.remarks ?? [];
	assert.equal(before?.narrowedBy, choice?.handle);
});

test("answers to numbered points are decisions, each with its point; questions and other lists are none", () => {
	const texts = decidedBy(SIGNS, user("1. both\n2. yes, in May\n3. what would blue cost?")).map(({ text }) => text);
	assert.equal(texts.length, 2);
	assert.match(texts[0] ?? "", /^1\. both \(the agent's "1: The sign\./);
	assert.equal(texts[1], `2. yes, in May (the agent's "2: The date: May?")`);
	for (const words of [
		"explain #1 please",
		"what about 2?",
		"you mean this is by hand? Option 1: take red",
		"okay #1 and #2 explain it",
		"1. paint it\n5. sell it",
	])
		assert.deepEqual(decidedBy(SIGNS, user(words)), [], words);
	assert.deepEqual(decidedBy(assistant("I did:\n1. one\n2. two"), user("1. paint it\n2. sell it")), []);
});
