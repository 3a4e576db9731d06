import assert from "node:assert/strict";
import { test } from "node:test";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import { playScene } from "./scene.ts";

test("planted words of five languages are remembered over sessions, never stale, and only where they are needed", async () => {
	const { asked, right, wrong, stale, unrelated, tasks, forgotten } = await playScene(CLAUDE_CODE_PORT);
	assert.equal(asked, 120);
	assert.deepEqual(forgotten, [], "all planted words are in MEMORY.md");
	assert.deepEqual(tasks, [], "rules of a task are none of the project");
	assert.deepEqual(stale, []);
	assert.ok(unrelated.length <= 2, unrelated.join("\n"));
	assert.ok(right >= MIN_RIGHT, wrong.join("\n"));
});

const MIN_RIGHT = 114;
