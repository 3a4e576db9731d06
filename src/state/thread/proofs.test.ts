import assert from "node:assert/strict";
import { test } from "node:test";
import { isFailedRun, proofsIn } from "./proofs.ts";

test("commits, pushes, pull requests and test runs are proofs; a command's other lines are not", () => {
	assert.deepEqual(proofsIn("git commit -m x", "[main 1a2b3c4] Mend the cart\n 1 file changed"), [
		{ kind: "commit", text: "[main 1a2b3c4] Mend the cart" },
	]);
	assert.deepEqual(proofsIn("gh pr create", "https://github.com/a/b/pull/7"), [
		{ kind: "pull-request", text: "https://github.com/a/b/pull/7" },
	]);
	assert.deepEqual(proofsIn("ls", "a.ts\nb.ts"), []);
});

test("a run with failures is told from a green one", () => {
	for (const text of ["2 failed, 10 passed", "FAIL src/a.test.ts 1.2s", "tests 3 | fail 1", "12 examples, 1 failure"])
		assert.ok(isFailedRun({ kind: "tests", text }), text);
	for (const text of ["12 passed", "0 failed, 12 passed", "tests 3, fail 0", "12 examples, 0 failures"])
		assert.ok(!isFailedRun({ kind: "tests", text }), text);
});
