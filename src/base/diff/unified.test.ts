import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch, structuredPatch } from "diff";
import fc from "fast-check";
import { hunksBetween, hunksOfCreation, readDisplayDiff, readHunks, readUnified, writeDiff } from "./unified.ts";

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}`);

test("a diff between two texts turns the one into the other", () => {
	const text = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 30 }).map((all) => all.join("\n"));
	fc.assert(
		fc.property(text, text, (before, after) => {
			const hunks = hunksBetween(before, after)!;
			const { diff } = writeDiff("f.txt", hunks);
			if (diff === undefined) assert.equal(before, after);
			else assert.equal(applyPatch(before, diff), after);
		}),
	);
});

test("a small change in a long text has the hunks that a comparison of the whole has", () => {
	const line = fc.constantFrom("", "}", "\treturn null;", "\tcount++;");
	const change = fc.tuple(fc.nat(300), fc.nat(2), fc.array(line, { maxLength: 3 }));
	fc.assert(
		fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), fc.constantFrom("\n", ""), (changes, last) => {
			const before = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? "}" : `line ${n}`));
			const after = [...before];
			for (const [at, removed, added] of changes) after.splice(at, removed, ...added);
			const [one, other] = [before.join("\n") + last, after.join("\n") + last];
			const whole = structuredPatch("", "", one, other, undefined, undefined, { context: 3 });
			assert.deepEqual(hunksBetween(one, other), whole.hunks);
		}),
		{ numRuns: 100 },
	);
});

test("a diff of a creation turns nothing into the file, with or without a last line end", () => {
	for (const content of ["a\nb\n", "a\nb", "\n"]) {
		const written = writeDiff("new.txt", hunksOfCreation(content), "create");
		assert.equal(applyPatch("", written.diff!), content);
		assert.match(written.diff!, /^--- \/dev\/null\n\+\+\+ b\/new\.txt\n/);
	}
	assert.deepEqual(writeDiff("new.txt", hunksOfCreation(""), "create"), { added: 0, removed: 0 });
});

test("Pi's diff for the eye keeps its line numbers over gaps", () => {
	const display = [
		"     ...",
		"  19 line 19",
		"  20 line 20",
		"- 21 line 21",
		"+ 21 LINE 21",
		"+ 22 new",
		"  22 line 22",
		"     ...",
		"  79 line 79",
		"- 80 line 80",
		"  81 line 81",
		"     ...",
	].join("\n");
	const { diff, added, removed } = writeDiff("f.txt", readDisplayDiff(display)!);
	assert.deepEqual({ added, removed }, { added: 2, removed: 2 });
	const before = `${lines(1, 100).join("\n")}\n`;
	const after = `${[...lines(1, 20), "LINE 21", "new", ...lines(22, 79), ...lines(81, 100)].join("\n")}\n`;
	assert.equal(applyPatch(before, diff!, { fuzzFactor: 0 }), after);
	assert.match(diff!, /@@ -19,4 \+19,5 @@/);
	assert.match(diff!, /@@ -79,3 \+80,2 @@/);
});

test("Pi's diff for the eye is read right where early versions counted kept lines from 1 after a gap", () => {
	const display = "    ...\n  1 line 19\n  2 line 20\n+21 new\n 21 line 21\n";
	assert.deepEqual(readDisplayDiff(display), [
		{ oldStart: 19, oldLines: 3, newStart: 19, newLines: 4, lines: [" line 19", " line 20", "+new", " line 21"] },
	]);
});

test("Pi's diff for the eye may have bars after the numbers", () => {
	const display = " 1|...\n 30|}\n+31|new\n 31|last\n 32|...";
	assert.deepEqual(readDisplayDiff(display), [
		{ oldStart: 30, oldLines: 2, newStart: 30, newLines: 3, lines: [" }", "+new", " last"] },
	]);
});

test("what is no diff is not read as one", () => {
	for (const text of ["", "hello", "+ no number", "-3 a\n+9 b\n"]) assert.equal(readDisplayDiff(text), undefined);
	for (const text of ["", "@@", "@@ -1,5 +1,5 @@\n too short"]) assert.equal(readUnified(text), undefined);
	for (const value of [undefined, [], [{}], [{ oldStart: 1, newStart: 1, lines: [] }], "x"]) {
		assert.equal(readHunks(value), undefined);
	}
});

test("stored hunks are counted anew", () => {
	const hunks = readHunks([{ oldStart: 4, newStart: 5, oldLines: 99, newLines: 99, lines: [" a", "-b", "+c", "+d"] }]);
	assert.deepEqual(hunks, [{ oldStart: 4, oldLines: 2, newStart: 5, newLines: 3, lines: [" a", "-b", "+c", "+d"] }]);
});

test("a huge diff is counted but not kept", () => {
	const content = "x".repeat(300_000);
	assert.deepEqual(writeDiff("big.txt", hunksOfCreation(content), "create"), { added: 1, removed: 0 });
});

test("a path outside the session's folder is not given git's prefixes", () => {
	assert.match(writeDiff("/etc/hosts", hunksBetween("a\n", "b\n")!).diff!, /^--- \/etc\/hosts\n\+\+\+ \/etc\/hosts\n/);
});
