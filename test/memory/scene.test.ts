import assert from "node:assert/strict";
import { test } from "node:test";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import { playScene } from "./scene.ts";
import { LATER_PLANTED, LATER_UNRELATED, PLANTED, TASKS, UNRELATED } from "./scene-words.ts";

test("planted words of five languages are remembered over sessions, never stale, and only where they are needed", async () => {
	const { asked, right, wrong, stale, unrelated, tasks, forgotten } = await playScene(CLAUDE_CODE_PORT, {
		planted: Object.values(PLANTED),
		tasks: TASKS,
		unrelated: UNRELATED,
	});
	assert.equal(asked, 120);
	assert.deepEqual(forgotten, [], "all planted words are in MEMORY.md");
	assert.deepEqual(tasks, [], "rules of a task are none of the project");
	assert.deepEqual(stale, []);
	assert.ok(unrelated.length <= 2, unrelated.join("\n"));
	assert.ok(right >= MIN_RIGHT, wrong.join("\n"));
});

const MIN_RIGHT = 114;

test("words that were written after the code are remembered too", async () => {
	const planted = [LATER_PLANTED.slice(0, 8), LATER_PLANTED.slice(8, 16), LATER_PLANTED.slice(16)];
	const { wrong, stale, unrelated } = await playScene(CLAUDE_CODE_PORT, {
		planted,
		tasks: [],
		unrelated: LATER_UNRELATED,
	});
	assert.deepEqual({ wrong, stale, unrelated }, { wrong: [], stale: [], unrelated: [] });
});
