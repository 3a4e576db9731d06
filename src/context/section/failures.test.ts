import assert from "node:assert/strict";
import { test } from "node:test";
import { foldFailures } from "../../state/work/failure/lifecycle.ts";
import { NO_FAILURES } from "../../state/work/failure/types.ts";
import { fileFold } from "../../state/work/file-fold.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { SEED_STYLE } from "./seed.ts";

const TSC_ERROR = "src/cart.ts(7,2): error TS2554: Expected 2 arguments, but got 1.";
const run = (seq: number, exit: number, output = "", command = "npx tsc --noEmit") => ({
	...{ kind: "run" as const, seq, handle: `e-${seq}`, ts: seq, cwd: "/shop" },
	...{ command, exit, output },
});
const openLines = (...runs: readonly ReturnType<typeof run>[]) =>
	renderFailures(runs.reduce(foldFailures, NO_FAILURES), SEED_STYLE, 2_000).lines;

test("an open failure says its error once, with the exit status of its run", () => {
	const [title, heading, error] = openLines(run(1, 2, TSC_ERROR));
	assert.equal(title, "## Open Failures (1)");
	assert.match(heading!, /^bash:tsc:[0-9a-f]{8} — exit 2 \(attempt 1\)$/);
	assert.equal(error, "  src/cart.ts TS2554: Expected 2 arguments, but got 1. [e-1]");
});

test("an exit status that every shell gives one meaning is told in words; one that a pipe hid is not told", () => {
	const told = (exit: number, command: string, output: string) => openLines(run(1, exit, output, command))[1]!;
	assert.match(
		told(127, "npm test", "> shop@1.0.0 test\n> jest\n\nsh: 1: jest: not found"),
		/ — exit 127, command not found \(attempt 1\)$/,
	);
	assert.match(told(0, "npx tsc | tail -3", TSC_ERROR), /:[0-9a-f]{8} \(attempt 1\)$/);
});

test("every failing run is an attempt, and those without a change before them are told beside it", () => {
	const failed = (seq: number) => run(seq, 2, TSC_ERROR);
	assert.match(openLines(failed(1), failed(2), failed(3))[1]!, / \(attempt 3, 2 without a change before\)$/);
});

test("a test that a green run left out is told last, as skipped since", () => {
	const red = (name: string) => `FAILED tests/test_sum.py::${name} - assert 3 == 4\n1 failed, 3 passed in 0.1s\n`;
	const failed = run(1, 1, red("test_adds"), "pytest");
	const skipped = run(2, 0, "tests/test_sum.py::test_adds SKIPPED [ 25%]\n3 passed, 1 skipped in 0.1s\n", "pytest");
	const alone = openLines(failed, skipped);
	assert.equal(alone[0], "## Open Failures (0, 1 skipped since)");
	assert.match(alone[1]!, /:[0-9a-f]{8} \(attempt 1, skipped since\)$/);
	const both = openLines(run(0, 2, TSC_ERROR), failed, skipped);
	assert.equal(both[0], "## Open Failures (1, 1 skipped since)");
	assert.match(both[1]!, /^bash:tsc:/);
	assert.equal(openLines(failed, skipped, run(3, 1, red("test_adds"), "pytest"))[0], "## Open Failures (1)");
});

test("the failures of one run are told together, those with the same words in other files once", () => {
	const output = [
		"a.ts(1,1): error TS2344: Type 'A' does not satisfy the constraint 'B'.",
		"dev/a.ts(1,1): error TS2344: Type 'A' does not satisfy the constraint 'B'.",
		TSC_ERROR,
	].join("\n");
	const lines = openLines(run(1, 2, output));
	assert.equal(lines[0], "## Open Failures (3)");
	assert.equal(lines[1], "bash:tsc — exit 2 (3 in one run) [e-1]");
	assert.deepEqual(lines.slice(2).sort(), [
		"  dev/a.ts TS2344: Type 'A' does not satisfy the constraint 'B'.; the same in a.ts",
		"  src/cart.ts TS2554: Expected 2 arguments, but got 1.",
	]);
});

test("a test that fails for the first time is not called flaky: what changed before it may be in no event", () => {
	const red = "FAILED tests/test_sum.py::test_adds - assert 3 == 4\n1 failed, 3 passed in 0.1s\n";
	const runs = [run(1, 0, "4 passed in 0.1s\n", "pytest"), run(2, 1, red, "pytest")];
	assert.match(openLines(...runs)[1]!, / \(attempt 1\)$/);
	assert.match(openLines(...runs, run(3, 1, red, "pytest"))[1]!, / \(attempt 2, 1 without a change before, flaky\)$/);
});

test("a resolved failure is told in the same words as an open one", () => {
	const state = [run(1, 2, TSC_ERROR), run(2, 0)].reduce(foldFailures, NO_FAILURES);
	const { lines } = renderResolved(state, fileFold.initial(), SEED_STYLE, 2_000);
	assert.match(lines[1]!, /:[0-9a-f]{8} — src\/cart\.ts TS2554: Expected 2 arguments, but got 1\.$/);
});

test("without room for one resolved failure there is no section of them", () => {
	const state = [run(1, 2, TSC_ERROR), run(2, 0)].reduce(foldFailures, NO_FAILURES);
	assert.deepEqual(renderResolved(state, fileFold.initial(), SEED_STYLE, 60).lines, []);
});

test("what went well and the command itself are no reason of a failure", () => {
	const reason = (output: string) => openLines(run(1, 1, output, "task harbour"))[2];
	assert.equal(reason("[lint:go] 0 issues.\n[paint] the harbour is not painted"), "  the harbour is not painted [e-1]");
	assert.equal(reason("$ gauge check --all\nThe gauge sticks."), "  The gauge sticks. [e-1]");
	assert.equal(reason("0 issues.\nAll gauges passed"), "  exit 1, and no line says why [e-1]");
	assert.equal(reason("harbour: 0 errors, 2 failures in gauges"), "  harbour: 0 errors, 2 failures in gauges [e-1]");
});

test("failures that one run mended and that say the same are one line", () => {
	const output = (...names: readonly string[]) =>
		names.map((name) => `FAILED tests/a.py::${name} - KeyError: 'k'`).join("\n");
	const pytest = (seq: number, exit: number, said: string) => run(seq, exit, said, "pytest tests");
	const runs = [
		pytest(1, 1, output("test_x")),
		run(2, 1, "the gauge sticks: error 7", "task a"),
		run(3, 1, "the gauge sticks: error 7", "task b"),
	];
	const passed = [run(4, 0, "", "task a"), run(5, 0, "", "task b"), pytest(6, 0, "1 passed in 0.1s")];
	const state = [...runs, ...passed].reduce(foldFailures, NO_FAILURES);
	const { lines } = renderResolved(state, fileFold.initial(), SEED_STYLE, 2_000);
	assert.deepEqual(
		lines.slice(1).map((line) => line.replaceAll(/:[0-9a-f]{8}/g, "")),
		["- bash:pytest tests — tests/a.py::test_x: KeyError: 'k'", "- bash:task b and 1 more — the gauge sticks: error 7"],
	);
});
