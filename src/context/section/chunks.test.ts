import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { chunkStarts } from "./pieces.ts";

const functions = (count: number, body: number) =>
	Array.from({ length: count }, (_, n) => [
		`function f${n}() {`,
		...Array.from({ length: body }, (__, line) => `\tstep(${line});`),
		"}",
		"",
	]).flat();

test("a chunk ends where a declaration ends", () => {
	const lines = functions(12, 21);
	for (const start of chunkStarts(lines)) assert.match(lines[start]!, /^function/);
});

test("a long function is cut all the same, and no chunk is longer than 46 lines", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom("", "}", "\tx();", "const a = 1;"), { maxLength: 300 }), (lines) => {
			const starts = chunkStarts(lines);
			assert.equal(starts[0], lines.length === 0 ? undefined : 0);
			for (const [n, start] of starts.entries()) {
				const length = (starts[n + 1] ?? lines.length) - start;
				assert.ok(length > 0 && length <= 46, `${length} lines`);
			}
		}),
	);
});
