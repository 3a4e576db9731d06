import assert from "node:assert/strict";
import { test } from "node:test";
import { printedSlices } from "./shown-slice.ts";

const printed = (command: string, text: string) =>
	printedSlices(
		{ id: "c1", tool: "bash", input: { command }, class: "shell" } as Parameters<typeof printedSlices>[0],
		{ kind: "result", callId: "c1", text, isError: false } as Parameters<typeof printedSlices>[1],
	).map(({ path, text: shown }) => [path, shown]);

test("the line in which an agent says how a command ended is no line of the file that it printed", () => {
	assert.deepEqual(printed("cat tide.txt", "high\nlow\n<shellId: 3 completed with exit code 0>"), [
		["tide.txt", "high\nlow"],
	]);
	assert.deepEqual(printed("cat tide.txt", "high\nlow\n<exited with exit code 0>"), [["tide.txt", "high\nlow"]]);
	assert.deepEqual(printed("cat tide.lock", "<shellId: 4 completed with exit code 0>"), []);
});
