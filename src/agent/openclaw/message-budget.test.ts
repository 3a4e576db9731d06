import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkRequest } from "../../message/validity.ts";
import { weighWire } from "../../message/weight.ts";
import { clampToBudget } from "./message-budget.ts";

const BIG = "x".repeat(3_200);
const user = (name: string): object => ({ role: "user", content: `${name} ${BIG}` });
const call = (id: string): object => ({
	role: "assistant",
	content: [{ type: "toolCall", id, name: "read", arguments: {} }],
});
const result = (id: string): object => ({
	role: "toolResult",
	toolCallId: id,
	toolName: "read",
	content: [{ type: "text", text: `${id} ${BIG}` }],
});
const name = (message: object): string => /(\w+) x{10}/.exec(JSON.stringify(message))?.[1] ?? "call";

test("case 67: the oldest turns leave, each whole, until the whole prompt fits", () => {
	const messages = [user("task"), call("a"), result("a"), call("b"), result("b"), call("c"), result("c")];
	const kept = clampToBudget(messages, 3_500);
	assert.deepEqual(kept.map(name), ["task", "call", "b", "call", "c"]);
	assert.deepEqual(checkRequest(kept, "pi", { budget: 3_500 }), []);
});

test("case 67: the newest message is there even when it alone is over the budget", () => {
	assert.deepEqual(clampToBudget([user("task"), call("a"), result("a")], 10).map(name), ["task", "call", "a"]);
	assert.deepEqual(clampToBudget([user("old"), call("a"), result("a"), user("new")], 10).map(name), ["new"]);
});

test("what fits is left as it is", () => {
	const messages = [user("task"), call("a"), result("a")];
	assert.deepEqual(clampToBudget(messages, 100_000), messages);
});

test("whatever is clamped stays valid and keeps its order", () => {
	const turns = fc.array(fc.boolean(), { maxLength: 10 });
	fc.assert(
		fc.property(turns, fc.nat(12_000), (kinds, budget) => {
			const messages = [
				user("task"),
				...kinds.flatMap((asks, at) => (asks ? [user(`u${at}`)] : [call(`c${at}`), result(`c${at}`)])),
			];
			const kept = clampToBudget(messages, budget);
			const dropped = messages.filter((each) => !kept.includes(each));
			assert.deepEqual(checkRequest(kept, "pi"), []);
			assert.equal(kept.at(-1), messages.at(-1));
			assert.deepEqual(
				messages.filter((each) => kept.includes(each)),
				kept,
			);
			const tokens = kept.reduce((sum, each) => sum + weighWire(each, "pi"), 0);
			const least = kept.every((each) => each === messages.at(-1) || !dropped.includes(each));
			assert.ok(tokens <= budget || (least && kept.length <= 4), `${tokens} of ${budget}`);
		}),
		{ numRuns: 200 },
	);
});
