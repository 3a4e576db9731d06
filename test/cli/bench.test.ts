import assert from "node:assert/strict";
import { test } from "node:test";
import { benchProgram } from "../../bench/main.ts";

const CASES: readonly (readonly [args: readonly string[], says: RegExp])[] = [
	[
		["speed"],
		/bench takes agents, chat, fleet, grep, history, import, log, pi, proxy, public, recall, replay, rewind, session or state, not 'speed'/,
	],
	[["log", "--events", "5"], /'bench log' does not take --events/],
	[["state", "--events", "5"], /--events takes a whole number, at least 2000/],
	[["pi", "session.jsonl"], /'bench pi' does not take a session file/],
	[["public"], /'bench public' takes a folder/],
	[["rewind"], /'bench rewind' takes a folder/],
	[["log", "--aside", "3"], /--exam and --aside are for 'bench public'/],
	[["log", "no-such-file.jsonl"], /no such file/],
];

test("a benchmark that cannot be meant is refused before it runs", async () => {
	for (const [args, says] of CASES) await assert.rejects(benchProgram().parseAsync(args, { from: "user" }), says);
});
