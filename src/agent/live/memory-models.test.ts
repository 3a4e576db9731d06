import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../base/json/read.ts";
import type { SideModel } from "../../base/sidecar/ask.ts";
import type { Engine } from "../../engine.ts";
import { KEYS } from "../../settings/keys.ts";
import { MemoryModels } from "./memory-models.ts";

const NOON = Date.UTC(2026, 10, 17, 12);
const model = (name: string): SideModel => ({ name, complete: async () => ({ text: "" }) });

function modelsOf(
	memoryModels: string,
	{ isChosen = false, jobs = [] as readonly JsonObject[], named = ["small/a"], memoryBudget = 20 } = {},
): MemoryModels {
	const settings = { memory: true, memoryModels, memoryBudget, prices: [] };
	const read = () => jobs.map((payload) => ({ payload }));
	const engine = { settings, log: { read } } as unknown as Engine;
	return new MemoryModels(
		engine,
		() => ({ named: named.map(model), isChosen, own: model("large/b") }),
		() => NOON,
	);
}

const names = (models: MemoryModels) =>
	[models.background(), models.urgent()].map((list) => list.map(({ name }) => name));

test("no model before an answer; a turn never waits for the session's own", () => {
	assert.equal(KEYS.memoryModels.default, "auto");
	assert.deepEqual(names(modelsOf("auto", { isChosen: true })), [[], []]);
	assert.deepEqual(names(modelsOf("none", { isChosen: true })), [[], []]);
	assert.deepEqual(names(modelsOf("configured")), [[], []]);
	assert.deepEqual(names(modelsOf("configured", { isChosen: true })), [["small/a"], ["small/a"]]);
	assert.deepEqual(names(modelsOf("session")), [["small/a", "large/b"], ["small/a"]]);
	assert.deepEqual(names(modelsOf("session", { named: ["large/b"] })), [["large/b"], ["large/b"]]);
});

test("the user is asked once, with the cents to expect, and the answer counts at once", () => {
	const models = modelsOf("auto");
	const { text } = models.question({}) ?? { text: "" };
	assert.match(text, /^May weft use small\/a .* about 20 cents on a day of work.* never more than 20 cents /);
	assert.equal(models.question({}), undefined);
	assert.deepEqual(names(models), [[], []]);
	assert.equal(models.answer(true), "session");
	assert.deepEqual(names(models), [["small/a", "large/b"], ["small/a"]]);
	assert.equal(models.answer(false), "none");
	assert.deepEqual(names(models), [[], []]);
});

test("not in CI, not where the settings decide, and not where there is no model", () => {
	assert.equal(modelsOf("auto").question({ CI: "true" }), undefined);
	for (const choice of ["configured", "session", "none"]) assert.equal(modelsOf(choice).question({}), undefined);
});

test("jobs of the day that have cost the budget end the day's jobs", () => {
	const spent = (...jobs: readonly JsonObject[]) => names(modelsOf("session", { jobs }))[0]?.length;
	const reported = { model: "small/a", usage: { cost: { total: 0.1 } } };
	assert.equal(spent(reported), 2);
	assert.equal(spent(reported, reported), 0);
	assert.equal(spent({ model: "small/a", usage: { input: 10_000, output: 100 } }), 2, "by list prices: three cents");
	assert.equal(spent({ model: "small/a", calls: 9 }), 0, "an unknown usage counts as usual jobs");
	assert.deepEqual(names(modelsOf("session", { memoryBudget: 0 })), [[], []]);
});
