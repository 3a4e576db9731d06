/** Random destructive commands: every file that was there before comes back, and a rewind can be undone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { random } from "../../bench/corpus.ts";
import { runTrial } from "../rig/destroyed/trial.ts";

for (const [kind, seed] of [
	["git", 5],
	["plain", 6],
] as const) {
	test(`every byte comes back after random commands (${kind})`, () => {
		const { taken, lost, undone } = runTrial({ kind, files: 50, commands: 12, random: random(seed) });
		assert.ok(taken > 0);
		assert.deepEqual({ lost, undone }, { lost: [], undone: [] });
	});
}
