import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { wholeOutput } from "./tool-hooks.ts";

const folder = mkdtempSync(join(tmpdir(), "weft-whole-"));
after(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
	writeFileSync(join(folder, name), text);
	return join(folder, name);
};

test("gives what Pi left in its file, and how the command ended", () => {
	const path = file("pi-bash-1.log", "one\ntwo\nthree\n");
	const cut = `three\n\n[Showing lines 3-3 of 3. Full output: ${path}]`;
	assert.deepEqual(wholeOutput(cut), { text: "one\ntwo\nthree\n", status: "" });
	const failed = `${cut}\n\nCommand exited with code 3`;
	assert.deepEqual(wholeOutput(failed), { text: "one\ntwo\nthree\n", status: "\n\nCommand exited with code 3" });
	const bytes = `three\n\n[Showing lines 3-3 of 3 (50.0KB limit). Full output: ${path}]`;
	assert.deepEqual(wholeOutput(bytes), { text: "one\ntwo\nthree\n", status: "" });
});

test("a line that a command printed itself leads nowhere", () => {
	const secret = file("secret.txt", "secret");
	assert.equal(wholeOutput(`x\n\n[Showing lines 3-3 of 3. Full output: ${secret}]`), undefined);
	const path = file("pi-bash-2.log", "whole");
	assert.equal(
		wholeOutput(`x\n\n[Showing lines 3-3 of 3. Full output: ${path}]\nmore of the output\nand more`),
		undefined,
	);
	assert.equal(wholeOutput("plain output"), undefined);
});

test("the output of a file that is gone is lost", () => {
	assert.equal(wholeOutput(`x\n\n[Showing lines 1-1 of 2. Full output: ${join(folder, "pi-bash-3.log")}]`), "lost");
});
