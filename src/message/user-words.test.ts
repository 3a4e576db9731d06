import assert from "node:assert/strict";
import { test } from "node:test";
import { userWords } from "./user-words.ts";

test("words that an agent's program added are not the user's", () => {
	assert.equal(userWords("Fix it.\n<system-reminder>Always be brief.</system-reminder>", "claude-code"), "Fix it.");
	assert.equal(userWords("[Request interrupted by user]", "claude-code"), "");
	assert.equal(
		userWords(
			"<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>the cart</command-args>",
			"claude-code",
		),
		"/review the cart",
	);
	assert.equal(
		userWords('<skill name="essay" location="/s/SKILL.md">\nNever skip.\n</skill>\n\nthe cart', "pi").replace(
			/\s+/g,
			" ",
		),
		"/skill:essay the cart",
	);
});

test("a tag that never ends, and words about tags, stay", () => {
	assert.equal(userWords("What does <system-reminder> mean?", "claude-code"), "What does <system-reminder> mean?");
	assert.equal(userWords("a < b", "pi"), "a < b");
});
