import assert from "node:assert/strict";
import { test } from "node:test";
import { CLAUDE_CODE_PORT } from "../../src/agent/claude-code/port.ts";
import type { SideModel } from "../../src/base/sidecar/ask.ts";
import { playScene } from "./scene.ts";
import { LATER_PLANTED, LATER_TASKS, LATER_UNRELATED, PLANTED, RULE_ORDERS, TASKS, UNRELATED } from "./scene-words.ts";

test("planted words of five languages are remembered over sessions, never stale, and only where they are needed", async () => {
	const planted = Object.values(PLANTED);
	const { asked, right, wrong, stale, unrelated, tasks, forgotten } = await playScene(CLAUDE_CODE_PORT, {
		planted,
		tasks: TASKS,
		unrelated: UNRELATED,
		orders: RULE_ORDERS,
	});
	assert.deepEqual([planted.flat().length, RULE_ORDERS.length, UNRELATED.length, asked], [60, 40, 200, 160]);
	assert.deepEqual(forgotten, [], "all planted words are in MEMORY.md");
	assert.deepEqual(tasks, [], "rules of a task are none of the project");
	assert.deepEqual(stale, []);
	assert.ok(unrelated.length <= 2, unrelated.join("\n"));
	assert.ok(right >= MIN_RIGHT, wrong.join("\n"));
});

const MIN_RIGHT = 152;

test("a model that takes every corrected value for true brings none back", async () => {
	const planted = Object.values(PLANTED).map((words) => words.filter(({ stale }) => stale !== undefined));
	const jobs: string[] = [];
	const old = planted
		.flat()
		.map(({ said: text }) => ({ op: "add", section: "Facts", text, confidence: 1, necessity: "high" }));
	const model: SideModel = {
		name: "scripted/small",
		complete: async (prompt) => {
			const isLong = prompt.includes("long memory of a software project");
			jobs.push(isLong ? "consolidate" : "session");
			const present = planted.flat().map(({ said }) => said);
			return { text: JSON.stringify(isLong ? { memory: old, history: present } : { currentState: present }) };
		},
	};
	const { asked, wrong, stale } = await playScene(CLAUDE_CODE_PORT, {
		planted,
		tasks: [],
		unrelated: [],
		models: [model],
	});
	assert.deepEqual([asked, wrong, stale], [planted.flat().length * 2, [], []]);
	assert.ok(
		["consolidate", "session"].every((job) => jobs.includes(job)),
		jobs.join(),
	);
});

test("words that were written after the code are remembered too", async () => {
	const planted = [LATER_PLANTED.slice(0, 8), LATER_PLANTED.slice(8, 16), LATER_PLANTED.slice(16)];
	const { wrong, stale, unrelated, tasks } = await playScene(CLAUDE_CODE_PORT, {
		planted,
		tasks: LATER_TASKS,
		unrelated: LATER_UNRELATED,
	});
	assert.deepEqual({ wrong, stale, unrelated, tasks }, { wrong: [], stale: [], unrelated: [], tasks: [] });
});
