import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { exitMeaning, exitWords, printedExit } from "./exit.ts";

describe("exitMeaning", () => {
	const isOwn = (line: string) => {
		const { zero, nonzero } = exitMeaning(line);
		return zero === "pass" && nonzero === "fail";
	};
	const own = [
		"pytest",
		"cd x && pytest",
		"npm ci && npm test && echo ok",
		"pytest > log 2>&1",
		"(cd x && pytest)",
		"bash -c 'pytest'",
		"set -o pipefail; pytest | tail -5",
		"set -euo pipefail\ncd x\npytest | tee log\necho done",
		"pytest || exit 1",
		"pytest || { echo failed; exit 1; }",
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
		"pytest | tee log; exit ${PIPESTATUS[0]}",
		"pytest; exit $?",
		"echo y | pytest",
		"export A=1; pytest",
	];
	const hidden = [
		"pytest | tail -5",
		"pytest 2>&1 | grep FAILED",
		"pytest || true",
		"pytest; echo done",
		"pytest &",
		"! pytest",
		"pytest; ls",
		"npm run lint; npm test",
		"if pytest; then echo ok; fi",
		"for i in 1 2 3; do pytest; done",
		"grep -q x y && pytest",
		"set +o pipefail; pytest | tail",
		"bash -c 'pytest | tail'",
		"pytest && grep x log",
		"foo ( | bar",
	];
	for (const line of own)
		it(`takes the status of \`${line}\` for that of its command`, () => assert.equal(isOwn(line), true));
	for (const line of hidden) it(`takes the status of \`${line}\` for hidden`, () => assert.equal(isOwn(line), false));

	it("knows when only one of the outcomes tells", () => {
		assert.deepEqual(exitMeaning("npm run lint; npm test"), { zero: "unknown", nonzero: "fail" });
		assert.deepEqual(exitMeaning("test -d node_modules || npm test"), { zero: "unknown", nonzero: "fail" });
		assert.deepEqual(exitMeaning("npm test && grep x log"), { zero: "pass", nonzero: "unknown" });
	});
});

test("a status that a pipe hides is said to be that of the last part", () => {
	assert.equal(exitWords("npm test", 0), "exit 0");
	assert.equal(exitWords("npm test | tail -5", 0), "exit 0 of its last part");
	assert.equal(exitWords("npm test | tail -5", null), "exit unknown");
	assert.equal(exitWords("npm run lint; npm test", 1), "exit 1");
	assert.equal(exitWords("npm test || true", 0), "exit 0 of its last part");
});

describe("printedExit", () => {
	const cases = [
		['pytest; echo "exit: $?"', "1 failed\nexit: 1\n", 1],
		["pytest > log 2>&1; echo EXIT=$?; tail log", "EXIT=0\nlast lines", 0],
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
		["pytest | tail -3; echo ${PIPESTATUS[0]}", "…\n2", 2],
		["pytest | tail -3; echo $?", "…\n0", null],
		["pytest; ls; echo $?", "0", null],
		["pytest; echo done", "done", null],
		["pytest; echo code $?", "no such line", null],
	] as const;
	for (const [line, output, exit] of cases) {
		it(`reads ${exit} from what \`${line}\` printed`, () => assert.equal(printedExit(line, output), exit));
	}
});
