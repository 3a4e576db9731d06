import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { linesPrintedBy } from "./printed-files.ts";

const printed = (command: string, output: string) =>
	linesPrintedBy([command], output).map(
		({ path, from, lines, isMatch }) => `${path}:${from} ${lines.join("|")}${isMatch ? " (match)" : ""}`,
	);

describe("linesPrintedBy", () => {
	const cases: readonly (readonly [command: string, output: string, ...shown: readonly string[]])[] = [
		["cat a.ts", "x\ny\n", "a.ts:1 x|y"],
		["cd pkg && cat a.ts", "x\n", "pkg/a.ts:1 x"],
		["cat < a.ts", "x\n", "a.ts:1 x"],
		["bash -lc 'sed -n 10,12p a.ts'", "x\ny\nz\n", "a.ts:10 x|y|z"],
		["sed -n '10,20p' a.ts", "x\ny\n", "a.ts:10 x|y"],
		["sed -n -e '3p' -e '7,$p' a.ts", "x\ny\nz\n", "a.ts:3 x", "a.ts:7 y|z"],
		["sed -n '5,$p' a.ts 2>/dev/null", "x\n", "a.ts:5 x"],
		["sed -n '/from/,/to/p' a.ts", "x\n"],
		["sed 's/a/b/' a.ts", "x\n"],
		["nl -ba a.ts | sed -n '9,11p'", "     9\tx\n    10\t\n    11\tz\n", "a.ts:9 x||z"],
		["cat -n a.ts | head -2", "     1\tx\n     2\ty\n", "a.ts:1 x|y"],
		["sed -n '10,99p' a.ts | nl -ba", "     1\tx\n     2\ty\n", "a.ts:10 x|y"],
		["nl -ba a.ts | tail -2", "     8\tx\n     9\ty\n", "a.ts:8 x|y"],
		["nl -ba a.ts | rg foo", "     8\tfoo\n    12\tfoo\n", "a.ts:8 foo", "a.ts:12 foo"],
		["nl a.ts", "     1\tx\n"],
		["head -n 2 a.ts", "x\ny\n", "a.ts:1 x|y"],
		["head -2 a.ts", "x\ny\n", "a.ts:1 x|y"],
		["head -c 5 a.ts", "x\n"],
		["tail -n +5 a.ts | head -n 2", "x\ny\n", "a.ts:5 x|y"],
		["tail -n 2 a.ts", "x\ny\n"],
		["cat a.ts | head -100 | sed -n '3,4p'", "x\ny\n", "a.ts:3 x|y"],
		["grep -n foo a.ts", "3:foo\n9:foo\n", "a.ts:3 foo (match)", "a.ts:9 foo (match)"],
		["rg -n -C 1 foo a.ts", "3-x\n4:foo\n5-y\n--\n9:foo\n", "a.ts:3 x|foo|y (match)", "a.ts:9 foo (match)"],
		["cd p && grep -rn foo src", "src/a.ts:3:foo\nsrc/a.ts-4-x\n", "p/src/a.ts:3 foo|x (match)"],
		["rg -n foo | head -1", "a.ts:3:foo: bar\n", "a.ts:3 foo: bar (match)"],
		["cat a.ts | grep -n foo", "3:foo\n", "a.ts:3 foo (match)"],
		["rg -l foo", "a.ts\n"],
		["rg foo a.ts", "foo\n"],
		["echo '== a'; cat a.ts; echo '== b'; cat b.ts", "== a\nx\n== b\ny\n", "a.ts:1 x", "b.ts:1 y"],
		["sed -n '1,2p' a.ts && sed -n '5,6p' b.ts", "a\nb\nc\nd\n", "a.ts:1 a|b", "b.ts:5 c|d"],
		// Either file may be the shorter one.
		["sed -n '1,2p' a.ts && sed -n '5,6p' b.ts", "a\nb\nc\n"],
		["cat a.ts b.ts", "x\ny\n"],
		["sed -n 1,3p a.ts; nl -ba b.ts | sed -n 7,8p", "x\ny\n     7\tz\n", "a.ts:1 x|y", "b.ts:7 z"],
		[
			"git diff -- a.ts",
			"diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -3,2 +3,3 @@ f\n x\n-y\n+z\n+w\n",
			"a.ts:3 x|z|w (match)",
		],
		["git diff --stat", " a.ts | 2 +-\n"],
		["cat a.ts; make", "x\n"],
		["make; cat a.ts", "x\n"],
		["cat a.ts || cat b.ts", "x\n"],
		["cat a.ts || true", "x\n", "a.ts:1 x"],
		["cat a.ts > b.ts", ""],
		["cat a.ts > b.ts; cat c.ts", "x\n", "c.ts:1 x"],
		["cat $f", "x\n"],
		["cat src/*.ts", "x\n"],
		["for f in a b; do cat $f; done", "x\n"],
		["cat <<'E'\nx\nE", "x\n"],
		["cat 'unclosed", "x\n"],
	];
	for (const [command, output, ...shown] of cases) {
		it(`reads \`${command}\``, () => assert.deepEqual(printed(command, output), shown));
	}

	it("joins the outputs of several commands, with or without an empty line between them", () => {
		const shown = (output: string) =>
			linesPrintedBy(["sed -n 1,2p a", "sed -n 1,1p b"], output).map(({ path, lines }) => [path, ...lines]);
		const expected = [
			["a", "x", "y"],
			["b", "z"],
		];
		assert.deepEqual(shown("x\ny\nz\n"), expected);
		assert.deepEqual(shown("x\ny\n\nz\n"), expected);
	});

	it("claims of any output only lines that are in it", () => {
		const command = fc.constantFrom(...cases.map(([line]) => line));
		const output = fc.array(fc.constantFrom("x", "     1\tx", "3:x", "a.ts:3:x", "--", "", "== b"), { maxLength: 30 });
		fc.assert(
			fc.property(command, output, (line, said) => {
				for (const { lines } of linesPrintedBy([line], said.join("\n")))
					for (const own of lines) assert.ok(said.some((each) => each.endsWith(own)));
			}),
		);
	});
});
