import assert from "node:assert/strict";
import test from "node:test";
import { call, PiLines, withRecording } from "../../test/replay/rig.ts";
import { FailedEditResults } from "./failed-edit-results.ts";
import type { ModelCall } from "./recording.ts";

test("the result of a failed edit shows its text, found by the words that the agent remembers", async () => {
	const lines = Array.from(
		{ length: 200 },
		(_, n) => `step ${n} reads gauge${n} and writes level${n * 7} to the board`,
	);
	const text = lines.slice(120, 124).join("\n");
	const session = new PiLines();
	session.user("Change it.");
	session.answer([call("t1", "write", { path: "a.txt", content: `${lines.join("\n")}\n` })]);
	session.result("t1", "done");
	session.answer([call("t2", "edit", { path: "a.txt", oldText: text, newText: "six" })]);
	await withRecording(session.lines, ({ log, calls }) => {
		const failing = new FailedEditResults(log);
		const last = calls.at(-1) as ModelCall;
		assert.equal(failing.holds(last, { text, path: "a.txt" }), true);
		assert.equal(failing.holds(last, { text, path: "/home/dev/app/a.txt" }), true);
		assert.equal(failing.holds(last, { text: lines.slice(0, 60).join("\n"), path: "b.txt" }), false);
		assert.equal(failing.holds(last, { text: "nothing of this is there", path: "a.txt" }), false);
	});
});
