import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutOldSteps } from "./summary-parts.ts";

test("what a summary calls pending, current and next is left out with its lines, in both forms of headings", () => {
	const claude =
		"1. Primary Request and Intent:\nMove the parser.\n7. Pending Tasks:\n- Write docs\n8. Current Work:\nEditing.\n9. Optional Next Step:\nRun it.";
	assert.equal(withoutOldSteps(claude), "1. Primary Request and Intent:\nMove the parser.");
	const pi = "## Goal\nMove it.\n## Next Steps\n1. Run it\n## Critical Context\nPort 7443.";
	assert.equal(withoutOldSteps(pi), "## Goal\nMove it.\n## Critical Context\nPort 7443.");
});

test("a numbered sentence is no heading", () => {
	const text = "1. The next step was to move the parser, which is done.\n2. It has two parts.";
	assert.equal(withoutOldSteps(text), text);
});

test("a line on how things were just then is left out, whatever part it is in", () => {
	const lines = [
		"- `lock.ts` takes the lock",
		"- **CURRENT: two lint errors**",
		"- The lock is 30 minutes old at most",
	];
	assert.equal(withoutOldSteps(lines.join("\n")), [lines[0], lines[2]].join("\n"));
	for (const line of [
		"- **Still needs**: the same in `b.ts`",
		"Two errors remain unfixed",
		"Nothing has been committed yet",
	])
		assert.equal(withoutOldSteps(`Kept.\n${line}`), "Kept.");
});
