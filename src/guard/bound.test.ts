import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { countLines } from "../base/text/lines.ts";
import { bound, MIN_LIMITS, OUTPUT_LIMITS } from "./bound.ts";

const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}`).join("\n");
const handleOf = (text: string) => `b-${createHash("sha256").update(text).digest("hex").slice(0, 12)}`;

describe("output that fits", () => {
	test("stays as it is", () => {
		assert.deepEqual(bound("a\nb\n"), { text: "a\nb\n", cut: false, lines: 2, chars: 4 });
		assert.equal(bound(lines(2_000)).cut, false);
		assert.equal(bound("x".repeat(50_000)).cut, false);
		assert.equal(bound("").cut, false);
	});
});

describe("output that does not fit", () => {
	test("keeps head and tail, and says what is left out and how to get it", () => {
		const text = `${lines(30)}\n`;
		assert.equal(
			bound(text, { lines: 7, chars: 1_000 }).text,
			`line 1
line 2
line 3
[… 24 lines (186 characters) left out here; lcm_expand("${handleOf(text)}") returns the whole text]
line 28
line 29
line 30
`,
		);
	});

	test("has the handle of the whole text, and its size", () => {
		const text = lines(2_001);
		const { handle, hash, cut, lines: count, chars } = bound(text);
		assert.deepEqual(
			{ handle, cut, count, chars },
			{ handle: handleOf(text), cut: true, count: 2_001, chars: text.length },
		);
		assert.equal(handle, `b-${hash?.slice(0, 12)}`);
	});

	test("one long line is cut by characters", () => {
		const json = JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ i })));
		const { text } = bound(json);
		const [head, marker, tail, ...rest] = text.split("\n");
		assert.deepEqual(rest, []);
		assert.ok(json.startsWith(head!) && json.endsWith(tail!) && head!.length > 20_000 && tail!.length > 20_000);
		assert.match(marker!, /^\[… 1 line \([\d,]+ characters\) left out here; lcm_expand\("b-[0-9a-f]{12}"\)/);
	});

	test("short lines around a long one are not lost with it", () => {
		const text = `first\n${"x".repeat(200_000)}\nlast`;
		const kept = bound(text).text;
		assert.ok(kept.startsWith("first\nxxx") && kept.endsWith("xxx\nlast"));
	});

	test("never cuts a character in two", () => {
		for (let shift = 0; shift < 4; shift++) {
			const { text } = bound("a".repeat(shift) + "😀".repeat(40_000));
			assert.ok(text.isWellFormed());
		}
	});
});

const texts = fc.oneof(
	fc.string({ unit: "binary", maxLength: 3_000 }),
	fc.array(fc.string({ maxLength: 80 }), { maxLength: 200 }).map((all) => all.join("\n")),
	fc.array(fc.constantFrom("\n", "\r\n", "😀", "a", "x".repeat(600)), { maxLength: 300 }).map((all) => all.join("")),
);
const limits = fc.record({ lines: fc.integer({ min: 0, max: 60 }), chars: fc.integer({ min: 0, max: 2_000 }) });

test("never exceeds the limits, is well formed where the text is, and bounding again changes nothing", () => {
	fc.assert(
		fc.property(texts, limits, (text, most) => {
			const once = bound(text, most);
			assert.ok(once.text.length <= Math.max(most.chars, MIN_LIMITS.chars));
			assert.ok(countLines(once.text) <= Math.max(most.lines, MIN_LIMITS.lines));
			if (text.isWellFormed()) assert.ok(once.text.isWellFormed());
			const again = bound(once.text, most);
			assert.deepEqual([again.text, again.cut], [once.text, false]);
			if (!once.cut) assert.equal(once.text, text);
		}),
		{ numRuns: 500 },
	);
});

test("what is kept and what is said to be left out make up the whole", () => {
	fc.assert(
		fc.property(texts, limits, (text, most) => {
			const { text: kept, cut } = bound(text, most);
			if (!cut) return;
			const marker =
				/\[… ([\d,]+) lines? \(([\d,]+) characters?\) left out here; lcm_expand\("b-[0-9a-f]{12}"\) returns the whole text\]\n/;
			const [said, , chars] = marker.exec(kept)!;
			const [head, tail] = [kept.slice(0, kept.indexOf(said)), kept.slice(kept.indexOf(said) + said.length)];
			assert.ok(text.endsWith(tail));
			const exact = text.startsWith(head) ? head : head.slice(0, -1);
			assert.ok(text.startsWith(exact));
			const left = Number(chars!.replaceAll(",", ""));
			assert.ok([0, 1].includes(left + head.length + tail.length - text.length));
		}),
		{ numRuns: 300 },
	);
});

test("the limits of a tool's output are 2,000 lines and 50,000 characters", () => {
	assert.deepEqual(OUTPUT_LIMITS, { lines: 2_000, chars: 50_000 });
});
