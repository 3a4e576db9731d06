import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readLines } from "../run-reading.ts";
import { recognise as recogniseLines } from "./recognise.ts";
import type { Recognised } from "./types.ts";

const recognise = (output: string, command = "") => recogniseLines(readLines(output), command);
const lines = (...all: readonly string[]): string => all.join("\n");

describe("recognise", () => {
	const passes: readonly (readonly [tool: string, output: string, passed: Recognised["passed"]])[] = [
		["pytest", "tests/a.py ....  [100%]\n===== 4 passed, 1 skipped in 0.31s =====", { count: 4, names: [] }],
		["pytest", "4 passed in 0.31s", { count: 4, names: [] }],
		[
			"pytest",
			lines("tests/a.py::test_x PASSED  [ 50%]", "[gw1] [100%] PASSED tests/a.py::test_y ", "2 passed in 1s"),
			{ count: 2, names: ["tests/a.py::test_x", "tests/a.py::test_y"] },
		],
		[
			"vitest",
			lines(" ✓ src/a.test.ts (3 tests) 4ms", "", " Test Files  1 passed (1)", "      Tests  3 passed (3)"),
			{ count: 3, names: ["src/a.test.ts"] },
		],
		[
			"jest",
			lines("PASS src/a.test.js", "Test Suites: 1 passed, 1 total", "Tests:       2 passed, 2 total"),
			{ count: 2, names: ["src/a.test.js"] },
		],
		["node:test", lines("✔ adds (0.4ms)", "ℹ tests 1", "ℹ pass 1", "ℹ fail 0"), { count: 1, names: ["adds"] }],
		["node:test", lines("TAP version 13", "ok 1 - adds", "# pass 1", "# fail 0"), { count: 1, names: ["adds"] }],
		[
			"go test",
			lines("--- PASS: TestA (0.00s)", "PASS", "ok  \texample.org/a\t0.01s"),
			{ count: null, names: ["TestA", "example.org/a"] },
		],
		["go test", "ok      example.org/a   (cached)", { count: null, names: ["example.org/a"] }],
		[
			"cargo test",
			lines("test a::b ... ok", "test result: ok. 1 passed; 0 failed; 0 ignored"),
			{ count: 1, names: ["a::b"] },
		],
		[
			"mvn",
			lines("[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0", "[INFO] BUILD SUCCESS"),
			{ count: 2, names: [] },
		],
		["rspec", "3 examples, 0 failures", { count: 3, names: [] }],
		["dotnet test", "Passed!  - Failed:     0, Passed:     4, Skipped: 0", { count: 4, names: [] }],
		["tsc", "Found 0 errors. Watching for file changes.", { count: null, names: [] }],
	];
	for (const [tool, output, passed] of passes) {
		it(`reads a green run of ${tool}: ${output.split("\n").at(-1)}`, () => {
			const answer = recognise(output)!;
			assert.deepEqual([answer.tool, answer.status, answer.passed], [tool, "pass", passed]);
		});
	}

	const unknown = [
		["no tests ran", "no tests ran in 0.01s"],
		["the tail was cut", lines("tests/a.py::test_x PASSED  [ 50%]", "tests/a.py::test_y PASSED  [ 60%]")],
		[
			"only warnings",
			lines("/a/b.js", "  1:2  warning  Unexpected console statement  no-console", "✖ 1 problem (0 errors, 1 warning)"),
		],
		["a stack in a log", lines("TypeError: x is not a function", "    at f (/a/b.js:1:2)")],
	] as const;
	for (const [why, output] of unknown) {
		it(`says unknown when ${why}`, () => assert.equal(recognise(output)?.status, "unknown"));
	}

	for (const text of ["", "hello\nworld", "# Usage\n\nok 1 - x", "FAIL", "Tests: none", "1 2 3 in 4"]) {
		it(`does not know ${JSON.stringify(text)}`, () => assert.equal(recognise(text), null));
	}

	it("lets the command decide between two tools", () => {
		const both = lines(
			"src/a.ts(1,2): error TS2322: Type mismatch.",
			"--- FAIL: TestA (0.00s)",
			"FAIL\texample.org/a\t0.1s",
		);
		assert.equal(recognise(both, "npx tsc -p .")?.tool, "tsc");
		assert.equal(recognise(both, "go test ./...")?.tool, "go test");
	});

	it("tells whether everything that failed is named", () => {
		const named = lines("FAILED tests/a.py::test_x - assert 1 == 2", "1 failed, 3 passed in 1s");
		assert.equal(recognise(named)?.whole, true);
		assert.equal(recognise(named.replace("1 failed", "2 failed"))?.whole, false);
		assert.equal(recognise(lines("!!!!! Interrupted: 1 error during collection !!!!!", named))?.whole, false);
	});

	it("reads go's JSON as it reads its text", () => {
		const text = lines(
			"--- FAIL: TestA (0.00s)",
			"    a_test.go:3: got 1, want 2",
			"FAIL",
			"FAIL\texample.org/a\t0.1s",
		);
		const json = text
			.split("\n")
			.map((line) => JSON.stringify({ Action: "output", Package: "example.org/a", Output: `${line}\n` }))
			.join("\n");
		assert.deepEqual(recognise(json), recognise(text));
		assert.equal(recognise(json)?.firstError, "got 1, want 2");
	});

	it("takes the errors of the tree when vitest's list was cut off", () => {
		const head = lines(
			" RUN  v3.0.0 /a",
			"",
			" ❯ src/a.test.ts (2 tests | 1 failed) 5ms",
			"   × adds 3ms",
			"     → expected 1 to be 2",
		);
		assert.deepEqual([recognise(head)?.status, recognise(head)?.failed], ["fail", ["src/a.test.ts > adds"]]);
	});

	it("takes maven's verdicts when its results were cut off", () => {
		const head = lines(
			"[ERROR] testAdd(org.example.CartTest)  Time elapsed: 0.01 s  <<< FAILURE!",
			"java.lang.AssertionError: expected:<4> but was:<3>",
		);
		assert.deepEqual(recognise(head)?.errors[0], {
			unit: "CartTest.testAdd",
			file: "CartTest",
			name: "testAdd",
			class: "AssertionError",
			message: ["expected:<4> but was:<3>"],
		});
	});

	it("never throws, bounds what it returns, and answers the same twice", () => {
		const scrap = fc.constantFrom(
			"FAILED tests/a.py::x - y",
			" FAIL  src/a.test.ts > b",
			"  ● a › b",
			"not ok 1 - a",
			"--- FAIL: TestA (0.00s)",
			"---- a stdout ----",
			"error[E0308]: x",
			"  --> a.rs:1:2",
			"Traceback (most recent call last):",
			'  File "a.py", line 3, in f',
			"ValueError: x",
			"    at f (a.js:1:2)",
			"[ERROR] Failures:",
			"[ERROR]   A.b:3 c",
			"a.c:1:2: error: x",
			"\u001b[31mred\u001b[0m\r",
		);
		fc.assert(
			fc.property(fc.array(fc.oneof(scrap, fc.string()), { maxLength: 60 }), (all) => {
				const text = all.join("\n");
				assert.deepEqual(recognise(text), recognise(text));
			}),
			{ numRuns: 500 },
		);
	});

	it("takes linear time at 300 KB, whatever is repeated", { timeout: 120_000 }, () => {
		const pieces = [
			..."_=-:. ([{<\\/1a\t",
			"_ ",
			"= ",
			"1 a, ",
			"1 1 ",
			"->a",
			"a.",
			"a.b:",
			"at (",
			"\u001b[",
			"\u001b]",
			"test a ... FAILED\n",
			"--- FAIL: A (0s)\n",
			"FAILED a.py::b - c\n",
			"__ a __\n",
			" FAIL  a.ts > b\nError: c\n",
			"  ● a\n    b\n",
			"not ok 1 - a\n",
			"✖ a (1ms)\n",
			"a.ts(1,2): error TS1: b\n",
			"/a.js\n  1:2  error  a  b\n",
			"[ERROR]   A.b:1 c\n",
			"error: a\n --> b:1:2\n",
			"a.c:1:2: error: b\n",
			'  File "a", line 1, in b\nE: c\n',
			"AError: b\n    at c (d:1:2)\n",
			"AError: b\n",
			"  1) a\n",
			'{"Action":"output","Output":"a\\n"}\n',
		];
		for (const piece of pieces) recognise(piece.repeat(Math.ceil(300_000 / piece.length)), "npm test");
	});
});
