import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { commandIdentity } from "../../../base/shell/identity.ts";
import { type Fingerprint, failureFingerprint as fingerprintOf } from "./fingerprint.ts";
import { recognise } from "./recognise/recognise.ts";
import { readLines, type ShellRun } from "./run-reading.ts";

const failing = (...units: readonly string[]): string => [...units, `${units.length} failed in 0.1s`].join("\n");
const A = "FAILED tests/a.py::test_x - AssertionError: assert 3 == 4";
const B = "FAILED tests/b.py::test_y - KeyError: 'k'";

/** Of any output, whether or not the run is known to have failed. */
function fingerprint(given: Omit<ShellRun, "exit"> & { readonly exit?: number }): Fingerprint {
	const run = { exit: null, ...given };
	const identity = commandIdentity(run.command, { cwd: run.cwd });
	const lines = readLines(run.output);
	return fingerprintOf(run, identity, lines, recognise(lines, identity.command));
}

describe("fingerprint", () => {
	it("is the tool, the command and eight hex digits", () => {
		const print = fingerprint({
			command: "cd api && pytest -q tests 2>&1 | tail",
			cwd: "/home/ada/shop",
			output: failing(A),
		});
		assert.match(print.id, /^bash:pytest tests:[0-9a-f]{8}$/);
		assert.deepEqual([print.tool, print.command, print.cwd], ["pytest", "pytest tests", "api"]);
		assert.deepEqual(print.marks, [
			{
				id: print.id,
				hash: print.hash,
				unit: "tests/a.py::test_x",
				file: "tests/a.py",
				name: "test_x",
				class: "AssertionError",
				message: "assert 3 == 4",
			},
		]);
	});

	it("does not depend on the order of the failures, and has a mark for each", () => {
		const one = fingerprint({ command: "pytest", output: failing(A, B) });
		const two = fingerprint({ command: "pytest", output: failing(B, A) });
		assert.deepEqual(one, two);
		assert.equal(one.marks.length, 2);
		assert.ok(one.marks.some((mark) => mark.id === fingerprint({ command: "pytest", output: failing(A) }).id));
	});

	it("does not depend on how two streams were mixed", () => {
		const out = ["building", "error: cannot open ledger", "done"];
		const err = ["warn: slow", "fatal: no rows"];
		const one = fingerprint({ command: "./run.sh", output: [...out, ...err].join("\n") });
		const two = fingerprint({ command: "./run.sh", output: [out[0], err[0], err[1], out[1], out[2]].join("\n") });
		assert.equal(one.id, two.id);
	});

	it("tells apart the folder, the unit, the class and the numbers", () => {
		const outputs = [
			A,
			A.replace("test_x", "test_z"),
			A.replace("3 == 4", "3 == 5"),
			A.replace("AssertionError: assert", "TypeError:"),
		];
		const hashes = outputs.map((line) => fingerprint({ command: "pytest", output: failing(line) }).hash);
		hashes.push(fingerprint({ command: "cd other && pytest", output: failing(A) }).hash);
		assert.equal(new Set(hashes).size, 5);
	});

	it("names a run without any output by its exit status", () => {
		const [one, two] = [1, 2].map((exit) => fingerprint({ command: "./run.sh", output: "", exit }));
		assert.notEqual(one!.id, two!.id);
		assert.equal(one!.marks[0]!.message, "exit 1, no output");
	});

	it("is relative to the root that it is given", () => {
		const at = (root: string) => ({
			command: "npm test",
			cwd: `${root}/api`,
			root,
			output: `cannot open ${root}/api/x.json`,
		});
		assert.deepEqual(fingerprint(at("/home/ada/shop")), {
			...fingerprint(at("/srv/shop")),
			marks: fingerprint(at("/home/ada/shop")).marks,
		});
		assert.equal(fingerprint(at("/srv/shop")).cwd, "api");
	});
});
