import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, type MessageWord, recordsOf } from "../../test/rig/events.ts";
import { SessionPrices } from "./session-prices.ts";

const MILLION = 1_000_000;

function answer(costs: { readonly input: number; readonly cacheRead?: number }): MessageWord {
	const usage = { input: MILLION, output: 1, cacheRead: costs.cacheRead ? MILLION : 0, cacheWrite: 0 };
	const cost = { cacheRead: 0, cacheWrite: 0, output: 0, total: 1, ...costs };
	return assistant("", { model: "m", usage: { ...usage, cost } });
}

test("the newest answer tells what a model costs, older ones what it leaves out, whichever is taken first", () => {
	const answers = recordsOf([
		answer({ input: 8, cacheRead: 2 }),
		answer({ input: 4, cacheRead: 1 }),
		answer({ input: 2 }),
	]);
	for (const order of [answers, answers.toReversed()]) {
		const prices = new SessionPrices();
		for (const each of order) prices.take(each);
		const { input, read } = prices.of("m");
		assert.deepEqual([input, read], [2, 0.5]);
	}
});
