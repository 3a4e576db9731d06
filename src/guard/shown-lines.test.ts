import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { structuredPatch } from "diff";
import fc from "fast-check";
import { writeDiff } from "../base/diff/unified.ts";
import {
	addRange,
	afterDiff,
	covers,
	isWhole,
	type LineRange,
	missing,
	renderLines,
	WHOLE,
	withLineCount,
	withoutRanges,
} from "./shown-lines.ts";

const range = fc
	.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(20))
	.map(([from, more]): LineRange => [from, from + more]);

test("ranges stand for exactly the lines that were added", () => {
	fc.assert(
		fc.property(fc.array(range, { maxLength: 20 }), (added) => {
			const shown = added.reduce<LineRange[]>((all, one) => addRange(all, one), []);
			for (let line = 1; line <= 90; line++) {
				const want = added.some(([from, to]) => from <= line && line <= to!);
				assert.equal(covers(shown, line, line), want);
				assert.equal(
					missing(shown, 90).some(([from, to]) => from <= line && line <= to!),
					!want,
				);
			}
		}),
	);
});

test("after an edit, shown lines are those that were shown or written, wherever they stand now", () => {
	const texts = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
	fc.assert(
		fc.property(texts, texts, fc.array(range, { maxLength: 3 }), (before, after, added) => {
			const shown = added.reduce<LineRange[]>((all, one) => addRange(all, one), []);
			// Lines of their own, so that each can be followed.
			const old = before.map((text, i) => `${text}${i}`);
			const now = [...old.slice(0, 3), ...after.map((text) => `new ${text}`), ...old.slice(5)];
			const { hunks } = structuredPatch("", "", `${old.join("\n")}\n`, `${now.join("\n")}\n`, undefined, undefined, {
				context: 0,
			});
			const moved = afterDiff(shown, writeDiff("a", hunks).diff);
			for (const [i, text] of now.entries()) {
				const was = old.indexOf(text) + 1;
				assert.equal(
					covers(moved, i + 1, i + 1),
					was === 0 || covers(shown, was, was),
					`${text} in ${JSON.stringify(moved)}`,
				);
			}
		}),
	);
});

describe("a whole file", () => {
	test("is known to be shown when the ranges reach its last line", () => {
		assert.ok(isWhole(withLineCount([[1, 10]], 10)));
		assert.ok(!isWhole(withLineCount([[1, 9]], 10)));
		assert.ok(!isWhole(withLineCount([[2, 10]], 10)));
		assert.ok(isWhole([[1, null]]));
	});
});

test("many ranges are joined rather than kept without bound", () => {
	let shown: LineRange[] = [];
	for (let i = 0; i < 500; i++) shown = addRange(shown, [i * 10 + 1, i * 10 + 2]);
	assert.ok(shown.length <= 64);
	assert.ok(covers(shown, 4_991, 4_992));
});

test("lines are said for eyes", () => {
	assert.equal(renderLines([[7, 7]]), "line 7");
	assert.equal(
		renderLines([
			[7, 9],
			[20, 20],
		]),
		"lines 7–9, 20",
	);
	assert.equal(
		renderLines([
			[1, 2],
			[4, 5],
			[7, 8],
			[10, 11],
			[13, 14],
		]),
		"lines 1–2, 4–5, 7–8, 2 more places",
	);
});

test("taken away to the end of the file, nothing is left below", () => {
	assert.deepEqual(withoutRanges(WHOLE, WHOLE), []);
	assert.deepEqual(withoutRanges(WHOLE, [[5, null]]), [[1, 4]]);
	assert.deepEqual(withoutRanges([[7, null]], [[5, null]]), []);
});
