/** A test that did not run is not resolved, whatever stopped it. Outputs are as each runner prints them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { foldFailures, isLeftOut } from "./lifecycle.ts";
import { NO_FAILURES } from "./types.ts";

interface Runner {
	readonly command: string;
	/** One test of one file or package fails. */
	readonly red: string;
	/** Runs after which the failure must still be open. */
	readonly still: Readonly<Record<string, readonly [exit: number, output: string, command?: string]>>;
	readonly green: string;
}

const RUNNERS: Readonly<Record<string, Runner>> = {
	jest: {
		command: "npx jest",
		red: "FAIL src/sum.test.js\n  ● sum › adds\n\n    expect(received).toBe(expected)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 3 passed, 4 total\n",
		still: {
			"build error": [
				1,
				"FAIL src/sum.test.js\n  ● Test suite failed to run\n\n    SyntaxError: Unexpected token (3:1)\n\nPASS src/b.test.js\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n",
			],
			filter: [
				0,
				"PASS src/b.test.js\nTest Suites: 1 passed, 1 total\nTests:       3 passed, 3 total\n",
				"npx jest src/b.test.js",
			],
			bail: [
				1,
				"FAIL src/a.test.js\n  ● a › b\n\n    no\n\nTest Suites: 1 failed, 1 of 2 total\nTests:       1 failed, 1 total\n",
				"npx jest --bail",
			],
			crash: [134, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"],
			timeout: [124, ""],
			"no tests found": [0, "No tests found, exiting with code 0\n", "npx jest --passWithNoTests"],
			skipped: [
				0,
				"PASS src/sum.test.js\nPASS src/b.test.js\nTest Suites: 2 passed, 2 total\nTests:       1 skipped, 3 passed, 4 total\n",
			],
		},
		green: "PASS src/sum.test.js\nPASS src/b.test.js\nTest Suites: 2 passed, 2 total\nTests:       4 passed, 4 total\n",
	},
	"go test": {
		command: "go test ./...",
		red: "--- FAIL: TestAdd (0.00s)\n    sum_test.go:9: got 3\nFAIL\nFAIL\texample.org/m/sum\t0.002s\nok  \texample.org/m/other\t0.001s\nFAIL\n",
		still: {
			"build error": [
				1,
				"# example.org/m/sum [example.org/m/sum.test]\nsum/sum.go:3:1: syntax error: unexpected x\nFAIL\texample.org/m/sum [build failed]\nok  \texample.org/m/other\t0.001s\nFAIL\n",
			],
			filter: [0, "ok  \texample.org/m/sum\t0.001s [no tests to run]\n", "go test ./... -run TestOther"],
			crash: [
				2,
				"panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nFAIL\texample.org/m/other\t0.003s\nFAIL\n",
			],
			timeout: [1, "panic: test timed out after 1s\nFAIL\texample.org/m/other\t1.003s\nFAIL\n"],
			"no tests found": [0, "?   \texample.org/m/sum\t[no test files]\n"],
			skipped: [
				0,
				"=== RUN   TestAdd\n    sum_test.go:8: later\n--- SKIP: TestAdd (0.00s)\nPASS\nok  \texample.org/m/sum\t0.002s\n",
				"go test -v ./...",
			],
		},
		green: "ok  \texample.org/m/sum\t0.002s\nok  \texample.org/m/other\t0.001s\n",
	},
	"node --test": {
		command: "node --test",
		red: "✖ adds (1.2ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\n\n✖ failing tests:\n\ntest at test/sum.test.js:3:1\n✖ adds (1.2ms)\n  AssertionError [ERR_ASSERTION]: 3 !== 4\n",
		still: {
			"build error": [
				1,
				"✖ test/sum.test.js (30ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ cancelled 0\n\n✖ failing tests:\n\ntest at test/sum.test.js:1:1\n✖ test/sum.test.js (30ms)\n  'test failed'\n",
			],
			filter: [0, "✔ other (1ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n", "node --test test/other.test.js"],
			timeout: [124, ""],
			"no tests found": [0, "ℹ tests 0\nℹ pass 0\nℹ fail 0\n"],
			"crash with exit 0": [
				0,
				"✔ test/sum.test.js (180.01ms)\n▶ group\n  ✔ other (0.38ms)\n✔ group (0.92ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\nℹ skipped 0\nℹ todo 0\n",
			],
			skipped: [0, "﹣ adds (12.5ms) # SKIP\n✔ other (0.1ms)\nℹ tests 2\nℹ pass 1\nℹ fail 0\nℹ skipped 1\nℹ todo 0\n"],
			"skipped, as TAP": [
				0,
				"TAP version 13\n# Subtest: adds\nok 1 - adds # SKIP\nok 2 - other\n1..2\n# tests 2\n# pass 1\n# fail 0\n# skipped 1\n",
			],
			"to do": [
				0,
				"⚠ adds (7.7ms) # TODO\n✔ other (0.1ms)\nℹ tests 2\nℹ pass 1\nℹ fail 0\nℹ todo 1\n\n✖ failing tests:\n\ntest at test/sum.test.js:3:1\n⚠ adds (7.7ms) # TODO\n  1\n",
			],
		},
		green: "✔ adds (1ms)\n✔ other (1ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0\n",
	},
	pytest: {
		command: "pytest",
		red: "FAILED tests/test_sum.py::test_adds - assert 3 == 4\n1 failed, 3 passed in 0.1s\n",
		still: {
			"build error": [
				2,
				"ERROR tests/test_sum.py - SyntaxError: invalid syntax\n!!! Interrupted: 1 error during collection !!!\n1 error in 0.1s\n",
			],
			filter: [0, "3 passed, 1 deselected in 0.1s\n", "pytest -k other"],
			bail: [
				1,
				"FAILED tests/test_a.py::test_a - assert 0\n!!! stopping after 1 failures !!!\n1 failed in 0.1s\n",
				"pytest -x",
			],
			crash: [139, "Fatal Python error: Segmentation fault\n"],
			"crash with exit 0": [
				0,
				"============ test session starts ============\ncollected 4 items\n\ntests/test_sum.py ",
			],
			skipped: [0, "3 passed, 1 skipped in 0.1s\n"],
			"expected to fail": [0, "3 passed, 1 xfailed in 0.1s\n"],
			"skipped, by name": [
				0,
				"tests/test_sum.py::test_adds SKIPPED (later) [ 25%]\n3 passed, 1 skipped in 0.1s\n",
				"pytest -v",
			],
			timeout: [124, ""],
			"no tests found": [5, "no tests ran in 0.01s\n"],
		},
		green: "4 passed in 0.1s\n",
	},
	vitest: {
		command: "npx vitest run",
		red: " ❯ src/sum.test.ts (2 tests | 1 failed) 5ms\n   × sum > adds 3ms\n     → expected 3 to be 4\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\n\n FAIL  src/sum.test.ts > sum > adds\nAssertionError: expected 3 to be 4\n\n Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed (4)\n",
		still: {
			"build error": [
				1,
				"⎯⎯⎯ Failed Suites 1 ⎯⎯⎯\n\n FAIL  src/sum.test.ts [ src/sum.test.ts ]\nError: Transform failed with 1 error\n\n Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n",
			],
			filter: [
				0,
				" ✓ src/b.test.ts (3 tests) 2ms\n\n Test Files  1 passed (1)\n      Tests  3 passed (3)\n",
				"npx vitest run src/b.test.ts",
			],
			timeout: [124, ""],
			"no tests found": [0, "No test files found, exiting with code 0\n", "npx vitest run --passWithNoTests"],
			skipped: [
				0,
				" ✓ src/sum.test.ts (2 tests | 1 skipped) 2ms\n ✓ src/b.test.ts (2 tests) 2ms\n\n Test Files  2 passed (2)\n      Tests  3 passed | 1 skipped (4)\n",
			],
		},
		green:
			" ✓ src/sum.test.ts (1 test) 2ms\n ✓ src/b.test.ts (3 tests) 2ms\n\n Test Files  2 passed (2)\n      Tests  4 passed (4)\n",
	},
	cargo: {
		command: "cargo test",
		red: "running 2 tests\ntest tests::adds ... FAILED\ntest tests::other ... ok\n\nfailures:\n\n---- tests::adds stdout ----\nthread 'tests::adds' panicked at src/lib.rs:9:9:\nassertion failed\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\nerror: test failed, to rerun pass `--lib`\n",
		still: {
			"build error": [
				101,
				"error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\nerror: could not compile `m` (lib test) due to 1 previous error\n",
			],
			filter: [
				0,
				"running 1 test\ntest tests::other ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 1 filtered out\n",
				"cargo test other",
			],
			timeout: [124, ""],
			"no tests found": [
				0,
				"running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 2 filtered out\n",
				"cargo test nothing",
			],
			"crash with exit 0": [
				0,
				"running 2 tests\n\nrunning 1 test\ntest three ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored\n",
			],
			ignored: [
				0,
				"running 2 tests\ntest tests::adds ... ignored\ntest tests::other ... ok\n\ntest result: ok. 1 passed; 0 failed; 1 ignored\n",
			],
		},
		green:
			"running 2 tests\ntest tests::adds ... ok\ntest tests::other ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n",
	},
	unittest: {
		command: "python3 -m unittest",
		red: 'F.\n======\nFAIL: test_adds (test_sum.Sum.test_adds)\n------\nTraceback (most recent call last):\n  File "/home/ada/shop/test_sum.py", line 4, in test_adds\n    self.assertEqual(3, 4)\nAssertionError: 3 != 4\n\n------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)\n',
		still: {
			"build error": [
				1,
				"E\n======\nERROR: test_sum (unittest.loader._FailedTest.test_sum)\n------\nImportError: Failed to import test module: test_sum\nTraceback (most recent call last):\n  File \"/home/ada/shop/test_sum.py\", line 1, in <module>\n    import nope\nModuleNotFoundError: No module named 'nope'\n\n\n------\nRan 1 test in 0.000s\n\nFAILED (errors=1)\n",
			],
			filter: [0, ".\n------\nRan 1 test in 0.000s\n\nOK\n", "python3 -m unittest -k other"],
			bail: [
				1,
				'F\n======\nFAIL: test_a (test_sum.Sum.test_a)\n------\nTraceback (most recent call last):\n  File "/home/ada/shop/test_sum.py", line 2, in test_a\n    self.fail()\nAssertionError: None\n\n------\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n',
				"python3 -m unittest -f",
			],
			skipped: [0, "s.\n------\nRan 2 tests in 0.000s\n\nOK (skipped=1)\n"],
			timeout: [124, ""],
			"no tests found": [0, "\n------\nRan 0 tests in 0.000s\n\nOK\n"],
		},
		green: "..\n------\nRan 2 tests in 0.001s\n\nOK\n",
	},
	tsc: {
		command: "npx tsc --noEmit",
		red: "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\n",
		still: {
			crash: [134, "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n"],
			timeout: [124, ""],
			filter: [0, "", "npx tsc --noEmit -p packages/other"],
			"no files found": [2, "error TS18003: No inputs were found in config file 'tsconfig.json'.\n"],
			"wrong syntax elsewhere": [2, "src/b.ts(1,14): error TS1134: Variable declaration expected.\n"],
			"wrong settings": [2, "tsconfig.json(1,36): error TS1005: '}' expected.\n"],
			"wrong option": [1, "error TS5023: Unknown compiler option '--strictt'.\n"],
		},
		green: "",
	},
	eslint: {
		command: "npx eslint .",
		red: "\n/home/ada/shop/src/a.js\n  3:7  error  'x' is assigned a value but never used  no-unused-vars\n\n✖ 1 problem (1 error, 0 warnings)\n",
		still: {
			crash: [2, "\nOops! Something went wrong! :(\n\nESLint: 9.1.0\n\nError: Cannot find module 'eslint-plugin-x'\n"],
			timeout: [124, ""],
			filter: [0, "", "npx eslint src/b.js"],
		},
		green: "",
	},
	mvn: {
		command: "mvn test",
		red: "[INFO] Running com.shop.SumTest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.03 s <<< FAILURE! -- in com.shop.SumTest\n[ERROR] com.shop.SumTest.adds -- Time elapsed: 0.01 s <<< FAILURE!\norg.opentest4j.AssertionFailedError: expected: <3> but was: <4>\n\n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   SumTest.adds:12 expected: <3> but was: <4>\n[INFO] \n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE\n",
		still: {
			"build error": [
				1,
				"[ERROR] COMPILATION ERROR : \n[ERROR] /home/ada/shop/src/main/java/com/shop/Sum.java:[3,5] ';' expected\n[INFO] 1 error\n[INFO] BUILD FAILURE\n",
			],
			"no tests found": [0, "[INFO] No tests to run.\n[INFO] BUILD SUCCESS\n"],
			filter: [
				0,
				"[INFO] Running com.shop.OtherTest\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in com.shop.OtherTest\n[INFO] Tests run: 1, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n",
				"mvn test -Dtest=OtherTest",
			],
			skipped: [
				0,
				"[INFO] Running com.shop.SumTest\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.03 s -- in com.shop.SumTest\n[INFO] Results:\n[WARNING] Tests run: 2, Failures: 0, Errors: 0, Skipped: 1\n[INFO] BUILD SUCCESS\n",
			],
			crash: [1, "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n"],
			timeout: [124, "[INFO] Running com.shop.SumTest\n"],
		},
		green:
			"[INFO] Running com.shop.SumTest\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.03 s -- in com.shop.SumTest\n[INFO] Results:\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS\n",
	},
};

for (const [name, { command, red, still, green }] of Object.entries(RUNNERS)) {
	describe(name, () => {
		const run = (line: string, exit: number, output: string, seq: number) =>
			({ kind: "run", command: line, cwd: "/home/ada/shop", exit, output, seq, handle: `e-${seq}`, ts: seq }) as const;
		const opened = foldFailures(NO_FAILURES, run(command, 1, red, 1));
		const unit = opened.open[0]?.unit;

		test("a failing test opens one failure, and a green run resolves it", () => {
			assert.equal(opened.open.length, 1);
			const after = foldFailures(opened, run(command, 0, green, 2));
			assert.deepEqual([after.open, after.resolved.map((failure) => failure.unit)], [[], [unit]]);
		});

		for (const [what, [exit, output, line = command]] of Object.entries(still)) {
			test(`${what}: the failure stays open`, () => {
				const after = foldFailures(opened, run(line, exit, output, 2));
				assert.ok(after.open.some((failure) => failure.unit === unit));
				assert.deepEqual(after.resolved, []);
			});
		}

		test("a run that left out other tests all along resolves it", () => {
			const left = (output: string) => output.replace(/\b(\d+) passed/, "$1 passed, 2 skipped");
			const before = foldFailures(NO_FAILURES, run(command, 1, left(red), 1));
			const after = foldFailures(before, run(command, 0, left(green), 2));
			assert.deepEqual([after.open, after.resolved.map((failure) => failure.unit)], [[], [unit]]);
		});

		const leftOut = Object.entries(still).filter(([what]) => /^(?:skipped|ignored|expected to fail|to do)/.test(what));
		for (const [what, [exit, output, line = command]] of leftOut) {
			test(`${what}: a green run says so until the test runs again`, () => {
				const skipped = foldFailures(opened, run(line, exit, output, 2));
				assert.deepEqual(
					[opened, skipped].map(({ open }) => open.map(isLeftOut)),
					[[false], [true]],
				);
				assert.deepEqual(foldFailures(skipped, run(command, 1, red, 3)).open.map(isLeftOut), [false]);
				assert.deepEqual(foldFailures(skipped, run(command, 0, green, 3)).open, []);
			});
		}

		test("flaky: red, green, red again is the same failure, open", () => {
			const runs = [run(command, 0, green, 2), run(command, 1, red, 3)];
			const after = runs.reduce(foldFailures, opened);
			assert.deepEqual([after.open.map((failure) => failure.unit), after.resolved], [[unit], []]);
		});
	});
}
