/**
 * Random destructive commands in real work trees: every byte that was there before comes back, compared by hash.
 * `WEFT_ATTACK_COMMANDS` sets how many (default 20), `WEFT_ATTACK_FILES` the files of the largest tree (default 500).
 * `npm run bench -- rewind --random 1000` is the same in more trees, with figures.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runTrial } from "../rig/destroyed/trial.ts";
import { randomFrom, tellCount } from "./count.ts";

const COMMANDS = Number(process.env["WEFT_ATTACK_COMMANDS"] ?? 20);
const FILES = Number(process.env["WEFT_ATTACK_FILES"] ?? 500);

for (const files of [50, FILES]) {
	test(`${COMMANDS} random destructive commands among ${files} files`, { timeout: 3_600_000 }, () => {
		const random = randomFrom(files);
		const { commands, taken, lost, undone } = runTrial({ kind: "git", files, commands: COMMANDS, random });
		assert.deepEqual({ lost, undone }, { lost: [], undone: [] });
		tellCount(`destructive commands among ${files} files`, { commands, taken, lost: 0 });
	});
}
