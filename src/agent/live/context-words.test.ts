import assert from "node:assert/strict";
import { test } from "node:test";
import { ContextWords, textsIn } from "./context-words.ts";

test("a text is held if each of its sentences is, in whatever order and layout", () => {
	const words = new ContextWords(["- Never sort by date. (m-1)", "> The relay\n> listens on 8443.\n- 使用 pnpm。"]);
	assert.ok(words.holds("The relay listens on 8443. Never sort by date!"));
	assert.ok(words.holds("Asked: Never sort by date; the relay listens on 8443."));
	assert.ok(words.holds("使用 pnpm。"));
	assert.ok(!words.holds("The relay listens on 844."), "part of a word is another word");
	assert.ok(!words.holds("The relay listens on 8443. Never sort by name."));
});

test("all texts of a message count, whatever its form", () => {
	const message = { role: "user", content: [{ type: "text", text: "one\ntwo" }, { nested: ["three"] }], n: 4 };
	assert.deepEqual([...textsIn(message)], ["user", "text", "one\ntwo", "three"]);
});
