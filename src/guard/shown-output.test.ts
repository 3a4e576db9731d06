import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { linesShownIn } from "./shown-output.ts";

const FILE = "import x from 'x';\n\nfunction one() {\n\treturn 1;\n}\n\nfunction two() {\n\treturn 2;\n}\n";

test("lines are found by their numbers, in a diff, or as they stand", () => {
	const shown = (output: string) => linesShownIn(FILE, output);
	assert.deepEqual(shown(FILE), [[1, 9]]);
	assert.deepEqual(shown("function one() {\n\treturn 1;\n}\n"), [[3, 5]]);
	assert.deepEqual(shown("src/a.ts:7:function two() {\nsrc/a.ts-8-\treturn 2;\n"), [[7, 8]]);
	assert.deepEqual(shown("     4\t\treturn 1;\n     5\t}\n"), [[4, 5]]);
	assert.deepEqual(shown("@@ -1,2 +3,3 @@\n function one() {\n-\treturn 0;\n+\treturn 1;\n }\n"), [[3, 5]]);
	assert.deepEqual(shown(FILE.replaceAll("\n", "\r\n")), [[1, 9]]);
});

test("what could stand anywhere, or stands nowhere, does not count", () => {
	for (const output of ["}\n", "\n\n", "return 3;\n", "9:function two() {\n", "}\n}\n", "function one() { return 1; }"])
		assert.deepEqual(linesShownIn(FILE, output), [], output);
});

test("never claims a line that the output does not have", () => {
	const line = fc.constantFrom("", "}", "alpha beta", "gamma delta", "epsilon", "zeta eta theta", "\tindented line");
	fc.assert(
		fc.property(fc.array(line, { maxLength: 20 }), fc.array(line, { maxLength: 20 }), (file, output) => {
			const text = file.map((one) => `${one}\n`).join("");
			for (const [from, to] of linesShownIn(text, output.join("\n"))) {
				for (let number = from; number <= (to ?? file.length); number++) assert.ok(output.includes(file[number - 1]!));
			}
		}),
		{ numRuns: 200 },
	);
});
