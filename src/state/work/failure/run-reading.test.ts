import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testStatus } from "./run-reading.ts";

describe("testStatus", () => {
	it("tells what failed and the first error", () => {
		const output = "FAILED tests/a.py::test_x - assert 3 == 4\n1 failed in 0.1s";
		assert.deepEqual(testStatus({ command: "pytest -q | tail -5", exit: 0, output }), {
			command: "pytest",
			status: "fail",
			failed: ["tests/a.py::test_x"],
			firstError: "AssertionError: assert 3 == 4",
		});
	});

	it("takes the exit status of a silent check", () => {
		assert.deepEqual(testStatus({ command: "npx tsc -p .", exit: 0, output: "" }), {
			command: "tsc -p .",
			status: "pass",
			failed: [],
		});
	});

	it("says unknown when neither the exit nor the output tells", () => {
		assert.equal(testStatus({ command: "npx jest | tail -3", exit: 0, output: "" })?.status, "unknown");
	});

	it("is null for what is no test and no check", () => {
		for (const command of ["ls -la", "node server.js", "make all", "git push"]) {
			assert.equal(testStatus({ command, exit: 1, output: "error: x" }), null, command);
		}
	});
});
