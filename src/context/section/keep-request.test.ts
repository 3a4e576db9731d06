import assert from "node:assert/strict";
import { test } from "node:test";
import { withNotes } from "../../message/note.ts";
import { renderKeepRequest } from "./keep-request.ts";
import { SEED_STYLE } from "./seed.ts";

test("weft's own notes are not among the lines that speak of what the user asked to keep", () => {
	const messages = [
		{ handle: "m-1", role: "toolResult", text: withNotes("1 of 9 checks failed", ["new failure: the checks"]) },
		{ handle: "m-2", role: "user", text: "Run the checks.\n\n[weft] checks: my own words" },
	];
	const text = renderKeepRequest({ words: "Keep the checks", messages }, SEED_STYLE, 4_000).lines.join("\n");
	assert.match(text, /\(m-1\) 1 of 9 checks failed/);
	assert.match(text, /\(m-2\) Run the checks\./);
	assert.doesNotMatch(text, /new failure/);
	assert.match(text, /my own words/);
});

test("a short word is found where a word or a part of an identifier begins, not inside of another word", () => {
	const messages = [
		{
			handle: "m-1",
			role: "toolResult",
			text: "export const a = 1;\nimport b\nconst httpPort = 2;\nthe ports are 4711",
		},
	];
	const text = renderKeepRequest({ words: "keep everything about the port", messages }, SEED_STYLE, 4_000).lines.join(
		"\n",
	);
	assert.match(text, /httpPort/);
	assert.match(text, /the ports are 4711/);
	assert.doesNotMatch(text, /export|import/);
});
