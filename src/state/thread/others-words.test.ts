import assert from "node:assert/strict";
import { test } from "node:test";
import { user } from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { linesOfUser } from "./others-words.ts";
import { threadIn } from "./thread.ts";
import { threadFold } from "./thread-fold.ts";

function rulesIn(text: string): readonly string[] {
	const thread = threadIn(stateAfter(threadFold, user(text)), "s");
	return (thread?.remarks ?? []).filter(({ kind }) => kind === "rule").map((each) => each.text);
}

test("what a mail, a ticket or a message of somebody else asks for is no rule of the user", () => {
	const cases = [
		"Here is what our customer wrote:\nPlease never send invoices on Fridays.\nAlways call before you come.",
		"Can you sort this out?\n\nHello Tom,\n\nplease never ship without the leaflet. You must always use the blue box.\n\nKind regards\nAnn Miller",
		"What do we answer?\nFrom: ann@example.org\nDate: 2026-03-04 10:12\nSubject: Boxes\n\nNever use the red boxes again.",
		"Kannst du das prüfen? Die Nachricht vom Kunden:\nBitte niemals freitags liefern.",
		"このメール:\n必ず金曜日に送ってください。",
	];
	for (const text of cases) assert.deepEqual(rulesIn(text), [], text);
});

test("what the user says around it, and after a log, is theirs", () => {
	const log = Array.from({ length: 8 }, (_, at) => `2026-03-02T10:00:0${at}Z ERROR relay ${at}`).join("\n");
	assert.deepEqual(rulesIn(`I get this error:\n${log}\nNever touch the relay.`), ["Never touch the relay."]);
	assert.deepEqual(rulesIn("Never push.\nHere is the mail from Ann:\nAlways push."), ["Never push."]);
	assert.deepEqual(rulesIn("Hello,\nnever push before the tests.\nThanks\nTom"), ["never push before the tests."]);
	assert.deepEqual(rulesIn("Remember the following:\nNever push."), ["Never push."]);
	assert.deepEqual(rulesIn("The rules are:\n- never push\n- always sign"), ["- never push", "- always sign"]);
	const list = "Goal: the tables\nRule: never push\nHost: the second one";
	assert.deepEqual(linesOfUser(list), list.split("\n"));
});

test("two words that forbid something are a rule where they are the whole sentence", () => {
	for (const ban of ["no verify", "No emojis!", "no mocks."]) assert.deepEqual(rulesIn(ban), [ban], ban);
	for (const words of ["no idea", "no errors", "no luck", "maybe we don't need it", "we should keep it, right"])
		assert.deepEqual(rulesIn(words), [], words);
});
