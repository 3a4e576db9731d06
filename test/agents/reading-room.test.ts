/** A read is as long as the room in the context allows, where window and fill are known and the user set no limit. */
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { AgentName } from "./port.ts";
import { run } from "./run.ts";
import type { ScriptStep } from "./script.ts";

const LINES = 1_900;
/** Longer than an output may be without room. */
const TEXT = Array.from({ length: LINES }, (_, at) => `const value${at + 1} = ${at + 1}; // a line\n`).join("");

const steps: readonly ScriptStep[] = [
	{ name: "prompt", do: "prompt", text: "Read it." },
	{ name: "first read", do: "call", call: { tool: "read", path: "rates.mjs" } },
	{ name: "read", do: "call", call: { tool: "read", path: "values.ts" } },
	{ name: "answer", do: "answer", text: "Read." },
	{ name: "end", do: "end" },
];

async function read(agent: AgentName, { mode = "woven", model = "claude-sonnet-4-5", lines = "", prompt = 100 } = {}) {
	const of = await run(agent, mode as "woven" | "warp" | "lossless", {
		steps,
		prepare: (world) => {
			world.put("values.ts", TEXT);
			if (lines === "") delete world.env["WEFT_MAX_READ_LINES"];
			else world.env["WEFT_MAX_READ_LINES"] = lines;
		},
		before: async ({ name }, _world, driver) => {
			driver.promptTokens = prompt;
			if (name === "prompt") await driver.switchModel(model);
		},
	});
	const { limit, output } = of.call("read");
	return { limit, isWhole: output.includes(`value${LINES} =`) && output.includes("value950 =") };
}

for (const agent of ["pi", "claude-code"] as const) {
	suite(`${agent} reads ${LINES} lines`, () => {
		for (const mode of ["woven", "lossless"])
			test(`at once in ${mode}, with room`, async () => {
				assert.deepEqual(await read(agent, { mode }), { limit: undefined, isWhole: true });
			});

		test("in parts where the context is nearly full", async () => {
			assert.deepEqual(await read(agent, { prompt: 98_000 }), { limit: 500, isWhole: false });
			const { limit = 0 } = await read(agent, { prompt: 60_000 });
			assert.ok(limit > 500 && limit < LINES, String(limit));
		});

		test("in parts in warp, and with a limit that the user set", async () => {
			assert.deepEqual(await read(agent, { mode: "warp" }), { limit: 500, isWhole: false });
			assert.deepEqual(await read(agent, { lines: "600" }), { limit: 600, isWhole: false });
		});
	});
}

test("a model whose window nobody knows reads in parts", async () => {
	assert.deepEqual(await read("claude-code", { model: "first-model" }), { limit: 500, isWhole: false });
});
