import assert from "node:assert/strict";
import { test } from "node:test";
import { describeDiff } from "./diff-words.ts";

const diff = (...lines: readonly string[]) => ["--- a/x", "+++ b/x", "@@ -1,3 +1,4 @@", ...lines].join("\n");

test("a diff is told by the names that it adds, changes and removes", () => {
	const told = describeDiff(
		diff(
			'+import { hash } from "bcrypt";',
			"-export function check(word: string): boolean {",
			"+export function check(word: string, salt: string): boolean {",
			"+\tconst local = salt + word;",
			"-const ROUNDS = 3;",
			"+export class Vault {",
			"+\tasync open(key: string): Promise<void> {",
			"+\t\tif (key) {",
		),
	);
	assert.equal(told, "adds import of bcrypt, Vault, open; changes check; removes ROUNDS");
});

test("definitions of other languages are known by their keywords", () => {
	const names = (line: string) => describeDiff(diff(`+${line}`));
	assert.equal(names("    async def load(self):"), "adds load");
	assert.equal(names("MAX_AGE: int = 3"), "adds MAX_AGE");
	assert.equal(names("func (s *Store) Put(key string) error {"), "adds Put");
	assert.equal(names("pub(crate) fn tide(at: u64) -> u64 {"), "adds tide");
	assert.equal(names("    public static int height(int at) {"), "adds height");
	assert.equal(names('test("lists both", () => {'), 'adds test "lists both"');
	assert.equal(names("## Licence"), 'adds "Licence"');
});

test("a change inside of a definition names that one, and a change without names says nothing", () => {
	assert.equal(describeDiff(diff(" function total(a) {", "-\treturn a;", "+\treturn a + 1;", " }")), "in total");
	assert.equal(describeDiff(diff(" a", "-b", "+c")), "");
	assert.equal(describeDiff(""), "");
});

test("many names are counted, and the head of the diff is not taken for a change", () => {
	const told = describeDiff(diff(...["a1", "a2", "a3", "a4", "a5"].map((name) => `+def ${name}():`)));
	assert.equal(told, "adds a1, a2, a3 and 2 more");
	assert.equal(describeDiff("--- a/x\n+++ class Head\n"), "");
});
