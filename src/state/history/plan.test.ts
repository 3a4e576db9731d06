import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TreeMessage } from "../session/tree.ts";
import { planCondensation, planLeaves } from "./plan.ts";
import { HISTORY_DEFAULTS, type Node } from "./types.ts";

function messages(...weights: readonly (readonly [role: "u" | "a" | "t", tokens: number])[]): TreeMessage[] {
	let open = "";
	return weights.map(([kind, tokens], at) => {
		if (kind === "a") open = `call-${at}`;
		const role = { u: "user", a: "assistant", t: "toolResult" }[kind];
		const calls = kind === "a" && weights[at + 1]?.[0] === "t" ? [open] : [];
		const results = kind === "t" ? [open] : [];
		return { seq: at + 1, entry: `e${at + 1}`, parent: at || null, role, asks: kind === "u", tokens, calls, results };
	});
}

const settings = { ...HISTORY_DEFAULTS, leafChunkTokens: 100, keepTokens: 50, ceilingTokens: 300, minMessages: 4 };

function ranges(list: readonly TreeMessage[], more: Parameters<typeof planLeaves>[2] = {}, own = settings): string[] {
	return planLeaves([list], own, more).map((chunk) => `${chunk.messages[0]!.seq}-${chunk.messages.at(-1)!.seq}`);
}

test("chunks of about the wished size, cut between turns", () => {
	const list = messages(["u", 40], ["a", 30], ["t", 20], ["a", 20], ["u", 40], ["a", 40], ["u", 60], ["a", 10]);
	assert.deepEqual(ranges(list), ["1-3", "4-6"]);
});

test("a message larger than a chunk is a chunk", () => {
	const list = messages(["u", 60], ["u", 900], ["u", 60], ["a", 30], ["u", 50]);
	assert.deepEqual(ranges(list), ["1-1", "2-2", "3-4"]);
});

test("a call and a result that is larger than a chunk stay together", () => {
	const list = messages(["u", 60], ["a", 10], ["t", 900], ["a", 90], ["u", 50]);
	assert.deepEqual(ranges(list), ["1-1", "2-3", "4-4"]);
});

test("fewer messages than the least: nothing", () => {
	assert.deepEqual(ranges(messages(["u", 900], ["u", 900], ["u", 900])), []);
});

test("the tail is bounded by tokens, not by count, and holds the newest request", () => {
	const many = messages(...Array.from({ length: 60 }, () => ["u", 1] as const));
	assert.deepEqual(ranges(many), []);
	const list = messages(["u", 90], ["u", 20], ["a", 40], ["t", 40], ["a", 40], ["t", 40]);
	assert.deepEqual(ranges(list), ["1-1"], "the request at 2 and all since, though that is more than the tail");
});

test("a small rest waits for company, unless the host has cut there", () => {
	const list = messages(["u", 90], ["u", 90], ["u", 30], ["u", 45], ["u", 1]);
	assert.deepEqual(ranges(list), ["1-1", "2-2"]);
	assert.deepEqual(ranges(list, { keepFrom: 4 }), ["1-1", "2-2", "3-3"]);
});

test("a host's cut inside a turn keeps the whole turn", () => {
	const list = messages(["u", 90], ["u", 90], ["a", 30], ["t", 45], ["u", 1]);
	assert.deepEqual(ranges(list, { keepFrom: 4 }), ["1-1", "2-2"]);
});

test("an open turn is never taken, whatever the host says", () => {
	const list = messages(["u", 90], ["u", 90], ["u", 10], ["a", 30]).map((message) =>
		message.seq === 4 ? { ...message, calls: ["waiting"] } : message,
	);
	assert.deepEqual(ranges(list, { keepFrom: 99 }), ["1-1", "2-3"]);
});

test("runs that a node parts are never joined", () => {
	const list = messages(["u", 40], ["u", 40], ["u", 10], ["u", 40], ["u", 50]);
	const chunks = planLeaves([list.slice(0, 1), list.slice(1, 4), list.slice(4)], settings);
	assert.deepEqual(
		chunks.map((chunk) => chunk.messages.map(({ seq }) => seq)),
		[[1], [2, 3, 4]],
	);
});

test("any plan takes a beginning of the messages, whole turns, in chunks that are large only by need", () => {
	const kinds = fc.array(fc.tuple(fc.constantFrom("u", "a", "t"), fc.integer({ min: 1, max: 250 })), { maxLength: 60 });
	fc.assert(
		fc.property(kinds, (weights) => {
			const list = messages(...(weights as (readonly ["u" | "a" | "t", number])[]));
			const chunks = planLeaves([list], settings);
			const taken = chunks.flatMap((chunk) => chunk.messages);
			assert.deepEqual(taken, list.slice(0, taken.length));
			for (const chunk of chunks)
				assert.equal(
					chunk.messages.reduce((sum, { tokens }) => sum + tokens, 0),
					chunk.tokens,
				);
			const rest = list.slice(taken.length);
			const open = new Set(taken.flatMap(({ calls }) => calls));
			assert.ok(!rest.some(({ results }) => results.some((id) => open.has(id))));
			if (list.length > 0) assert.ok(rest.length > 0);
		}),
	);
});

function nodes(...depths: readonly number[]): Node[] {
	return depths.map((depth, at) => ({ id: `s-${at}`, depth }) as Node);
}

test("condensation takes the oldest six of the shallowest depth that has more than six", () => {
	const plan = (...depths: number[]) => planCondensation(nodes(...depths), HISTORY_DEFAULTS)?.map(({ id }) => id);
	assert.equal(plan(0, 0, 0, 0, 0, 0), undefined);
	assert.deepEqual(plan(0, 0, 0, 0, 0, 0, 0), ["s-0", "s-1", "s-2", "s-3", "s-4", "s-5"]);
	assert.deepEqual(plan(1, 0, 0, 0, 0, 0, 0, 0), ["s-1", "s-2", "s-3", "s-4", "s-5", "s-6"]);
	assert.deepEqual(plan(...Array<number>(7).fill(1), ...Array<number>(7).fill(0))?.[0], "s-7");
	assert.deepEqual(plan(...Array<number>(7).fill(4), 0)?.[0], "s-0");
	assert.equal(plan(...Array<number>(20).fill(5)), undefined);
});
