import assert from "node:assert/strict";
import { test } from "node:test";
import { WholeTexts } from "./calls.ts";

const same = (path: string) => path;

test("knows a file by what was read, written and edited", () => {
	const texts = new WholeTexts();
	texts.rememberText("a.ts", "one\ntwo\n");
	texts.edit("a.ts", { edits: [{ oldText: "two", newText: "$& 2" }] });
	assert.equal(texts.get("a.ts"), "one\n$& 2\n");
	texts.edit("a.ts", { edits: [{ oldText: "not there", newText: "x" }] });
	assert.equal(texts.get("a.ts"), undefined);
});

test("forgets what a command may have written, and nothing after one that only looks", () => {
	const texts = new WholeTexts();
	const known = () => [texts.get("a.ts"), texts.get("b.ts")];
	texts.rememberText("a.ts", "a");
	texts.rememberText("b.ts", "b");
	texts.run("cat a.ts; grep -n x b.ts", same);
	assert.deepEqual(known(), ["a", "b"]);
	texts.run("echo x >> b.ts", same);
	assert.deepEqual(known(), ["a", undefined]);
	texts.run("npm run format", same);
	assert.deepEqual(known(), [undefined, undefined]);
});
