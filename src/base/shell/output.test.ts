import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findOutputExtent } from "./output.ts";

describe("findOutputExtent", () => {
	const cases = [
		["tsc", "a\nb", "whole"],
		["tsc 2>&1 | cat", "a", "whole"],
		["tsc 2>&1 | tee log", "a", "whole"],
		["ls | wc -l; tsc", "3", "whole"],
		["tsc | tail -5", "a\nb\n", "whole"],
		["tsc | tail -2", "a\nb\n", "part"],
		["tsc | head -n 20", "", "whole"],
		["tsc | head", "1\n2\n3", "whole"],
		["tsc | tail -n +3", "a", "part"],
		["tsc | head -c 100", "a", "part"],
		["tsc | grep error", "", "errors"],
		["npm run check 2>&1 | grep -E 'error|warning' | head -10", "", "errors"],
		["tsc | grep -v error", "", "part"],
		["tsc | grep src/a.ts", "", "part"],
		["tsc | grep 'error TS' | wc -l", "0\n", "errors"],
		["tsc | grep 'error TS' | wc -l", "12\n", "part"],
		["tsc > log", "", "part"],
		["tsc 2>/dev/null", "", "part"],
		["tsc '", "", "part"],
	] as const;
	for (const [line, output, shown] of cases) {
		it(`says ${shown} of \`${line}\` that shows ${JSON.stringify(output)}`, () =>
			assert.equal(findOutputExtent(line, output), shown));
	}
});
