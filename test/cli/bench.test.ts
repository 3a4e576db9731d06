import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measureAsk } from "../../bench/ask.ts";
import { benchProgram } from "../../bench/main.ts";
import { TemporaryProject } from "../rig/temporary-folder.ts";

const CASES: readonly (readonly [args: readonly string[], says: RegExp])[] = [
	[
		["speed"],
		/bench takes agents, ask, chat, feedback, fleet, grep, history, import, log, pi, proofs, proxy, public, recall, replay, rewind, session or state, not 'speed'/,
	],
	[["log", "--events", "5"], /'bench log' does not take --events/],
	[["state", "--events", "5"], /--events takes a whole number, at least 2000/],
	[["pi", "session.jsonl"], /'bench pi' does not take a session file/],
	[["ask"], /'bench ask' takes --data/],
	[["public"], /'bench public' takes a folder/],
	[["rewind"], /'bench rewind' takes a folder/],
	[["log", "--aside", "3"], /--exam and --aside are for 'bench public'/],
	[["log", "no-such-file.jsonl"], /no such file/],
];

test("a benchmark that cannot be meant is refused before it runs", async () => {
	for (const [args, says] of CASES) await assert.rejects(benchProgram().parseAsync(args, { from: "user" }), says);
});

test("bench ask counts the questions whose answer holds the words", async () => {
	using project = new TemporaryProject({});
	const header = {
		type: "session",
		version: 3,
		id: "ship",
		timestamp: "2026-03-02T09:00:00.000Z",
		cwd: project.folder,
	};
	const said = { role: "user", content: "We decided to ship on Tuesdays because support is awake.", timestamp: 0 };
	const entry = { type: "message", id: "a1", parentId: null, timestamp: "2026-03-02T09:00:01.000Z", message: said };
	writeFileSync(join(project.folder, "ship.jsonl"), `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);
	const file = join(project.folder, "items.json");
	const item = { project: "ship", kind: "decisions", question: "what did we decide about shipping?" };
	const write = (...musts: readonly string[]) => {
		const items = musts.map((must) => ({ ...item, must: [must] }));
		const projects = { ship: { sessions: ["ship.jsonl"], now: "2026-03-03T09:00:00Z" } };
		writeFileSync(file, JSON.stringify({ projects, items }));
	};
	write("Tuesdays", "Fridays");
	const { right, asked, byKind, missed } = await measureAsk(file, () => {});
	assert.deepEqual([right, asked, byKind], [1, 2, { decisions: { right: 1, asked: 2 } }]);
	assert.deepEqual(missed[0]?.missing, ["Fridays"]);
	write("shipping");
	await assert.rejects(
		measureAsk(file, () => {}),
		/the answer must hold and the question does not/,
	);
});
