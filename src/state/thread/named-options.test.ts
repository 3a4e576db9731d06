import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, type SessionWord, user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { optionsNamed } from "./named-options.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

const OFFER = assistant(
	"Two ways:\n\n1. Read the ships' logs once a day.\n2. **Ask each ship** when it docks.\n\nOr later:\n- **(c) Radio**: every hour.",
);

function namedBy(...words: readonly SessionWord[]): string[] {
	const thread = threadIn(stateAfter(threadFold, user("How do we count the ships?"), ...words), "s");
	const last = thread?.orders.at(-1);
	assert.ok(thread && last);
	return optionsNamed(thread, last.handle, last.text);
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
