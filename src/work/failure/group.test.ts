import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { foldFailures, NO_FAILURES } from "./fold.ts";
import { groupFailures } from "./group.ts";

const red = (...units: readonly string[]): string => [...units, `${units.length} failed in 0.1s`].join("\n");
const given = (...outputs: readonly string[]) =>
	outputs
		.map(
			(output, i) =>
				({ kind: "run", command: "pytest", exit: 1, output, seq: i + 1, handle: `e-${i + 1}`, ts: 0 }) as const,
		)
		.reduce(foldFailures, NO_FAILURES).open;

describe("groupFailures", () => {
	it("puts one error of many tests into one group", () => {
		const tests = ["b", "a", "c"].map((name) => `FAILED tests/${name}.py::test - ImportError: no module named tax`);
		const groups = groupFailures(given(red(...tests, "FAILED tests/d.py::test - KeyError: 'k'")));
		assert.deepEqual(groups.map((group) => [group.class, group.units.length]).sort(), [
			["ImportError", 3],
			["KeyError", 1],
		]);
	});

	it("shows last what another error hides", () => {
		const other = "FAILED tests/b.py::test - KeyError: 'other'";
		const groups = groupFailures(
			given(
				red("FAILED tests/a.py::test - KeyError: 'old'", other),
				red("FAILED tests/a.py::test - ImportError: new", other),
			),
		);
		assert.equal(groups.length, 3);
		assert.deepEqual([groups[2]!.message, groups.map((group) => group.behind)], ["'old'", [false, false, true]]);
	});
});
