import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sha256 } from "../../base/hash/sha256.ts";
import { type LimitedCall, limitToolResult } from "./tool-result-limits.ts";

const npmTest: LimitedCall = { class: "shell", command: "npm test" };

test("numbers before the lines of a reading go, its words stay", () => {
	const read: LimitedCall = { class: "read", isDecorated: true };
	assert.deepEqual(limitToolResult("    1→const a = 1;\n    2→\n    3→\tb();", read), {
		text: "const a = 1;\n\n\tb();",
	});
	assert.deepEqual(limitToolResult("   41→x\n   42→y", read), { text: "[from line 41]\nx\ny" });
	// A table of numbers, and a host that adds none.
	assert.equal(limitToolResult("1\tpear\n7\tplum\n", { ...read }), undefined);
	assert.equal(limitToolResult("1\tpear\n2\tplum", { class: "read" }), undefined);
});

test("passed tests are counted, failing ones and the summary stay", () => {
	const passed = Array.from({ length: 40 }, (_, n) => `✔ reads line ${n} (0.4ms)`);
	const output = [...passed, "✖ sorts the tides (2ms)", "  AssertionError: 1 !== 2", "ℹ tests 41", "ℹ fail 1"].join(
		"\n",
	);
	const { text, hash } = limitToolResult(output, npmTest)!;
	const mark = `[40 lines of passed tests left out; lcm_expand("b-${hash!.slice(0, 12)}") returns the whole text]`;
	assert.equal(text, `${mark}\n${output.slice(output.indexOf("✖"))}`);
	assert.equal(hash, sha256(output));
});

test("long output keeps its head, its tail and the lines that tell of trouble; what shows files is left alone", () => {
	const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n} of a long build`);
	lines[1_000] = "src/a.ts(3,5): error TS2304: Cannot find name 'tide'.";
	const long = lines.join("\n");
	const { text } = limitToolResult(long, { class: "shell", command: "make" })!;
	assert.ok(Buffer.byteLength(text) <= 1_500 * 3.2 * 1.25);
	for (const kept of [lines[0]!, lines[1_000]!, lines[1_999]!]) assert.ok(text.includes(kept), kept);
	assert.equal(limitToolResult(long, { class: "shell", command: "cat src/a.ts" }), undefined);
	assert.equal(limitToolResult(long, { class: "shell", command: "cd x && sed -n 1,200p a.ts" }), undefined);
	assert.ok(limitToolResult(long, { class: "shell", command: "grep -rn long ." }));
});

test("what an edit echoes stands in its call", () => {
	const echo = `The file /a.ts has been updated. Here's the result of running \`cat -n\` on a snippet of the edited file:\n${"  1→x\n".repeat(80)}`;
	assert.deepEqual(limitToolResult(echo, { class: "edit", isDecorated: true }), {
		text: "The file /a.ts has been updated.",
	});
});

test("the rules change nothing of what they gave", () => {
	const line = fc.oneof(
		fc.string({ maxLength: 120 }),
		fc.constantFrom("✔ passes (1ms)", "error: no", "ok 3 - fine", "[… 3 lines]", "x".repeat(7_000), "水".repeat(3_000)),
	);
	const command = fc.constantFrom("npm test", "rg tide", "cat a.ts");
	fc.assert(
		fc.property(fc.array(line, { maxLength: 400 }), command, (lines, of) => {
			const call: LimitedCall = { class: "shell", command: of };
			const once = limitToolResult(lines.join("\n"), call)?.text ?? lines.join("\n");
			assert.equal(limitToolResult(once, call), undefined);
		}),
		{ numRuns: 150 },
	);
});
