import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventRecord } from "../log/event/types.ts";
import { SessionPrices } from "./session-prices.ts";

const MILLION = 1_000_000;

function answer(seq: number, costs: { readonly input: number; readonly cacheRead?: number }): EventRecord {
	const usage = { input: MILLION, output: 1, cacheRead: costs.cacheRead ? MILLION : 0, cacheWrite: 0 };
	const cost = { cacheRead: 0, cacheWrite: 0, output: 0, total: 1, ...costs };
	const message = { role: "assistant", content: [], model: "m", usage: { ...usage, cost } };
	const payload = { role: "assistant", form: "pi", raw: { type: "message", message } };
	return { seq, type: "Message", payload } as unknown as EventRecord;
}

test("the newest answer tells what a model costs, older ones what it leaves out, whichever is taken first", () => {
	const answers = [
		answer(1, { input: 8, cacheRead: 2 }),
		answer(2, { input: 4, cacheRead: 1 }),
		answer(3, { input: 2 }),
	];
	for (const order of [answers, answers.toReversed()]) {
		const prices = new SessionPrices();
		for (const each of order) prices.take(each);
		const { input, read } = prices.of("m");
		assert.deepEqual([input, read], [2, 0.5]);
	}
});
