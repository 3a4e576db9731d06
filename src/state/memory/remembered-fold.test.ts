import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../../log/event/types.ts";
import { sessionKey } from "../../log/session-ref.ts";
import { fittingWords, givenAt, type RememberedState, rememberedFold, renderWords } from "./remembered-fold.ts";

const ONE = { session: "one", host: "pi" };

function folded(...events: readonly Readonly<Record<string, unknown>>[]): RememberedState {
	const state = rememberedFold.initial();
	for (const event of events) rememberedFold.step(state, { ...ONE, seq: 1, ...event } as unknown as EventRecord);
	return state;
}

const write = (...ops: readonly unknown[]) => ({ type: "MemoryWrite", payload: { file: "memory", ops } });
const add = (id: string, section: string, text: string, by = "user") => ({ op: "add", id, section, text, by });
const nothing = () => false;

test("rules come before preferences and decisions, the user's before others; facts wait for a question", () => {
	const state = folded(
		write(add("f-1", "Decisions", "zod, not yup"), add("f-2", "Facts", "the port is 8443")),
		write(add("f-3", "Constraints", "ask before a release", "a/model"), add("f-4", "Preferences", "short answers")),
		write(add("f-5", "Constraints", "never log personal data")),
	);
	const { own, noted, left } = fittingWords(state, nothing);
	assert.deepEqual(own.map(renderWords), ["- never log personal data", "- short answers", "- zod, not yup"]);
	assert.deepEqual(noted.map(renderWords), ["- ask before a release"]);
	assert.equal(left, 0);
});

test("replaced and removed words leave, words on probation wait, and old ones leave first where not all fit", () => {
	const state = folded(
		write(add("f-1", "Constraints", "tabs"), add("f-2", "Constraints", "gone soon")),
		write({ op: "supersede", id: "f-3", section: "Constraints", text: "spaces", by: "user", replaces: "f-1" }),
		write({ op: "invalidate", id: "f-2", section: "Constraints", by: "user" }),
		write({ ...add("f-4", "Constraints", "perhaps", "a/model"), until: 5 }),
	);
	assert.deepEqual(fittingWords(state, nothing).own.map(renderWords), ["- spaces"]);
	const many = Array.from({ length: 100 }, (_, n) => add(`f-${n}`, "Constraints", `rule ${n} ${"word ".repeat(20)}`));
	const { own, left } = fittingWords(folded(write(...many)), nothing);
	assert.equal(own.length + left, 100);
	assert.ok(own.at(-1)?.text.startsWith("rule 99 ") && left > 0);
});

test("words know the session that said them; words that were written into the file have none", () => {
	const state = folded(
		write({ ...add("f-1", "Constraints", "said"), source: "m-1" }, add("f-2", "Constraints", "typed")),
	);
	assert.deepEqual(
		state.words.map(({ text, saidIn }) => [text, saidIn]),
		[
			["said", sessionKey(ONE)],
			["typed", null],
		],
	);
	const { own } = fittingWords(state, ({ saidIn }) => saidIn === sessionKey(ONE));
	assert.deepEqual(own.map(renderWords), ["- typed"]);
});

test("a session was given them when an event says so", () => {
	const state = folded({ type: "Given", payload: { opens: true } });
	assert.equal(givenAt(state, ONE), 1);
	assert.equal(givenAt(state, { ...ONE, session: "two" }), undefined);
	assert.equal(givenAt(folded({ type: "Given", payload: { text: "a seed" } }), ONE), undefined);
});
