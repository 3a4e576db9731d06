import assert from "node:assert/strict";
import test from "node:test";
import { call, PiLines, withRecording } from "../../test/replay/rig.ts";
import { FailingResults } from "./failing-results.ts";
import type { ModelCall } from "./recording.ts";

test("an edit is at hand when the lines that a failing result shows hold its text, found by what an agent remembers of it", async () => {
	const text = "one two three four five\nsix seven eight nine ten\n";
	const session = new PiLines();
	session.user("Change it.");
	session.answer([call("t1", "write", { path: "a.txt", content: text })]);
	session.result("t1", "done");
	session.answer([call("t2", "edit", { path: "a.txt", oldText: "six seven eight nine ten", newText: "six" })]);
	await withRecording(session.lines, ({ log, calls }) => {
		const asked: string[] = [];
		const failing = new FailingResults(log, (file, oldText) => {
			asked.push(oldText);
			return file.split("\n").find((line) => line.includes("seven"));
		});
		const last = calls.at(-1) as ModelCall;
		assert.equal(failing.holds(last, { text: "six seven eight nine ten", path: "a.txt" }), true);
		assert.equal(failing.holds(last, { text: "one two three four five", path: "/home/dev/app/a.txt" }), false);
		assert.equal(failing.holds(last, { text: "six", path: "b.txt" }), false);
		assert.deepEqual(asked, [" seven   ten", " two   five"]);
	});
});
