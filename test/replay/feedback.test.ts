import assert from "node:assert/strict";
import test from "node:test";
import { runTask } from "../../bench/feedback.ts";
import { call, line as claudeLine, PiLines, withRecording } from "./rig.ts";

/** Reads a file, then works on others for so long that a seal comes, and then edits the file. */
function longTask(): { readonly session: PiLines; readonly old: string } {
	const session = new PiLines();
	const lines = (name: string, count: number) =>
		Array.from(
			{ length: count },
			(_, n) => `${name} ${n}: gauge${n} of ${name} writes level${n * 7} to the ${name} board`,
		);
	const first = lines("meter", 900);
	session.user("Read the meter, run all the other checks, then change the meter.");
	session.answer([call("r", "read", { path: "meter.txt" })]);
	session.result("r", first.join("\n"));
	for (let n = 0; n < 60; n++) {
		session.answer([call(`w${n}`, "write", { path: `part${n}.txt`, content: lines(`part${n}`, 40).join("\n") })]);
		session.result(`w${n}`, "done");
		session.answer([call(`t${n}`, "bash", { command: `npm test part${n}` })]);
		session.result(`t${n}`, "1 passed");
	}
	const old = first.slice(700, 703).join("\n");
	session.answer([call("e", "edit", { path: "meter.txt", oldText: old, newText: "one line" })]);
	session.result("e", "done");
	session.answer([{ type: "text", text: "Done." }]);
	return { session, old };
}

test("a scripted agent pays for an edit whose text is gone with more requests", async () => {
	const { session } = longTask();
	await withRecording(session.lines, async (recording) => {
		const { host, woven, lossless, tail } = await runTask(recording);
		const recorded = recording.calls.length;
		assert.deepEqual(
			{ ...host, units: 0 },
			{ edits: 1, failed: 0, healed: 0, reads: 0, requests: recorded, units: 0, seals: 0 },
		);
		for (const row of [woven, lossless, tail]) {
			assert.equal(row.edits, 1);
			// One more request for the edit that fails, one more for a read.
			assert.equal(row.requests, recorded + (row.failed > 0 ? 1 : 0) + (row.reads > 0 ? 1 : 0));
			assert.equal(row.reads, row.failed - row.healed);
		}
		assert.ok(woven.seals > 0);
		assert.deepEqual([tail.failed, tail.reads], [1, 1]);
		assert.ok(woven.units < host.units);
	});
});

test("an edit of Claude Code that fails is followed by the recorded one", async () => {
	const filler = (n: number) =>
		Array.from({ length: 300 }, (_, at) => `line ${at} of file ${n} has word${at * n}`).join("\n");
	const lines: object[] = [claudeLine("u", null, { role: "user", content: "Change the first file at the end." })];
	let parent = "u";
	const round = (n: string, name: string, input: object, result: string) => {
		lines.push(
			claudeLine(`a${n}`, parent, {
				id: `m${n}`,
				role: "assistant",
				model: "claude-opus-4-6",
				content: [{ type: "tool_use", id: `c${n}`, name, input }],
			}),
		);
		lines.push(
			claudeLine(`r${n}`, `a${n}`, {
				role: "user",
				content: [{ type: "tool_result", tool_use_id: `c${n}`, content: result }],
			}),
		);
		parent = `r${n}`;
	};
	for (let n = 1; n <= 90; n++) round(String(n), "Read", { file_path: `/home/dev/app/f${n}.txt` }, filler(n));
	const old = filler(1).split("\n").slice(250, 252).join("\n");
	round(
		"e",
		"Edit",
		{ file_path: "/home/dev/app/f1.txt", old_string: old, new_string: "x" },
		"The file has been updated.",
	);
	await withRecording(lines, async (recording) => {
		const { tail, woven } = await runTask(recording);
		assert.deepEqual([tail.failed, tail.reads, tail.requests], [1, 1, recording.calls.length + 2]);
		assert.equal(woven.requests, recording.calls.length + (woven.failed > 0 ? 1 : 0) + (woven.reads > 0 ? 1 : 0));
	});
});
