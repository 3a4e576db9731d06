import assert from "node:assert/strict";
import { test } from "node:test";
import { PRICE_TABLE } from "./price-table.ts";
import {
	costUnits,
	dollarsOf,
	listedBy,
	modelName,
	pricesFromList,
	pricesOf,
	readPriceLine,
	readPriceLines,
	stepsIn,
	UNKNOWN_PRICES,
} from "./prices.ts";

const CLAUDE = { output: 5, read: 0.1, write: 1.25, writeLong: 2 };
const PRICES = { ...CLAUDE, input: 4 };

test("a model is known with or without provider, date and suffix", () => {
	const opus = { ...CLAUDE, input: 5 };
	for (const name of [
		"claude-opus-4-5-20251101",
		"claude-opus-4-5@20251101",
		"claude-opus-4.5",
		"us.anthropic.claude-opus-4-5-20251101-v1:0",
		"openrouter/anthropic/claude-opus-4-5",
		"anthropic/claude-opus-4.5:thinking",
		"anthropic/claude-opus-4.5:beta",
		"vertex_ai/claude-opus-4-5@default",
		"Claude-Opus-4-5-thinking",
		"claude-opus-4-5[1m]",
	]) {
		assert.deepEqual(pricesOf(name), opus, name);
	}
	assert.equal(pricesOf("gemini-2.5-flash-preview-05-20"), pricesOf("gemini-2.5-flash"));
	assert.deepEqual(pricesOf("GPT-5-mini-2025-08-07"), { input: 0.25, output: 8, read: 0.1, write: 1, writeLong: 1 });
});

test("a model that no list has is never taken for its older sister: its prices are assumed", () => {
	for (const name of ["claude-opus-6", "claude-opus-5-9", "claude-sonnet-4-7", "gpt-5.9", "gpt-6.1", "gpt-5.4-turbo"]) {
		assert.equal(pricesOf(name), UNKNOWN_PRICES, name);
	}
	assert.equal(pricesOf(undefined), UNKNOWN_PRICES);
	assert.equal(pricesOf("constructor"), UNKNOWN_PRICES);
	assert.equal(pricesOf("claude-opus-4-6").assumed, undefined);
	const own = { ...PRICES, read: 0.5 };
	assert.deepEqual(pricesOf("local/nobody-1", { listed: { "nobody-1": own } }), own);
});

test("the newest models have their own prices of reading", () => {
	assert.deepEqual(
		["claude-fable-5-2", "claude-fable-5-1", "claude-fable-5", "claude-opus-5-5", "claude-opus-5", "gpt-6.1-sol"].map(
			(model) => [pricesOf(model).input, pricesOf(model).read],
		),
		[
			[10, 0.025],
			[10, 0.025],
			[10, 0.1],
			[4, 0.05],
			[5, 0.1],
			[2, 0.05],
		],
	);
});

test("a request has the price of its day", () => {
	const readAt = (day: string) => pricesOf("claude-sonnet-5-5", { at: Date.parse(day) }).read;
	assert.deepEqual([readAt("2026-10-05T23:59Z"), readAt("2026-10-06")], [0.1, 0.05]);
	assert.equal(pricesOf("claude-sonnet-5-5").read, 0.05);
	const stepsAt = (day: string) =>
		pricesOf("claude-opus-4-6", { at: Date.parse(day) }).steps?.map(({ input }) => input);
	assert.deepEqual([stepsAt("2026-03-12"), stepsAt("2026-03-13")], [[10], undefined]);
	assert.equal(pricesOf("claude-haiku-5-5", { at: 0 }).since, "2026-10-07", "before the first price that we know");
});

test("a request costs by what was read, written, neither, and what the model wrote", () => {
	assert.equal(costUnits({ read: 1_000, write: 200, input: 30, output: 10 }, PRICES), 430);
	assert.equal(costUnits({ write: 200 }, PRICES), 250);
	assert.equal(costUnits({}, PRICES), 0);
	assert.equal(dollarsOf(250_000, PRICES), 1);
});

test("what is written for an hour costs twice the input", () => {
	assert.equal(costUnits({ write: 200, writeLong: 100 }, PRICES), 325);
	assert.equal(costUnits({ write: 100, writeLong: 200 }, PRICES), 200);
});

test("above a step the whole request has another tariff, cached tokens counted in", () => {
	const haiku = pricesOf("claude-haiku-5-5");
	const dollars = (read: number) => dollarsOf(costUnits({ read, write: 1_000, output: 1_000 }, haiku), haiku);
	const close = (one: number, other: number) => assert.ok(Math.abs(one - other) < 1e-12, `${one} is not ${other}`);
	close(dollars(99_000), (99_000 * 0.01 + 1_000 * 0.125 + 1_000 * 0.5) / 1e6);
	close(dollars(99_001), (99_001 * 0.05 + 1_000 * 0.625 + 1_000 * 2.5) / 1e6);
	const sol = pricesOf("gpt-6.1-sol");
	close(dollarsOf(costUnits({ input: 272_001, output: 100 }, sol), sol), (272_001 * 4 + 100 * 15) / 1e6);
	assert.deepEqual(
		stepsIn({ own: { ...PRICES, steps: [{ ...PRICES, above: 32_000 }] } }),
		[32_000, 100_000, 200_000, 272_000],
	);
	for (const [model, input, output] of [
		["gemini-3.1-pro-preview", 4, 18],
		["gemini-2.5-pro", 2.5, 15],
		["claude-sonnet-4-5", 6, 22.5],
	] as const) {
		const prices = pricesOf(model);
		close(
			dollarsOf(costUnits({ input: 200_001, output: 100 }, prices), prices),
			(200_001 * input + 100 * output) / 1e6,
		);
	}
});

test("an agent's price list goes before ours; ours fills in what it leaves out, where both agree", () => {
	const own = pricesFromList({ input: 2, output: 20, cacheRead: 0.5, cacheWrite: 0 });
	assert.deepEqual(own, { input: 2, output: 10, read: 0.25, write: 1, writeLong: 1 });
	const haiku = pricesOf("claude-haiku-5-5");
	assert.deepEqual(pricesFromList({ input: 0.1, cacheRead: 0.01, cacheWrite: 0.125 }, haiku).steps, haiku.steps);
	assert.equal(pricesFromList({ input: 0.2, cacheRead: 0.01, cacheWrite: 0.125 }, haiku).steps, undefined);
	const stepped = pricesFromList({ input: 1, steps: [{ above: 50_000, input: 3, output: 9 }] });
	assert.deepEqual(stepped.steps, [{ ...CLAUDE, input: 3, output: 3, above: 50_000 }]);
});

test("a model that costs nothing saves nothing", () => {
	const free = pricesFromList({ input: 0, cacheRead: 0, cacheWrite: 0 });
	assert.deepEqual([dollarsOf(1e6, free), free.assumed], [0, undefined]);
	for (const model of ["opencode/some-coder-free", "lab/some-coder-2:free"]) assert.deepEqual(pricesOf(model), free);
	assert.equal(pricesOf("some-coder").assumed, true);
});

test("an answer tells the list behind its cost, of the kinds of tokens that it has", () => {
	const costs = { input: 0.003, cacheRead: 0.0003, cacheWrite: 0, output: 0.0015 };
	const tokens = { input: 1_000, cacheRead: 1_000, cacheWrite: 0, output: 100 };
	assert.deepEqual(listedBy({ ...tokens, costs }), { input: 3, cacheRead: 0.3, output: 15 });
	assert.deepEqual(listedBy(tokens), {});
});

test("settings list a model with its prices in dollars; what cannot be read is left out", () => {
	const listed = readPriceLines(["Local/Own-1 = 1/0.5/1", "own-2=4", "own-3", "own-4=dear", "own-5=2/.1/2.5/8/5"]);
	assert.deepEqual(listed, {
		"local/own-1": { ...CLAUDE, input: 1, read: 0.5, write: 1, writeLong: 1 },
		"own-2": { ...CLAUDE, input: 4 },
		"own-5": { input: 2, output: 4, read: 0.05, write: 1.25, writeLong: 2.5 },
	});
	assert.deepEqual(pricesOf("Local/Own-1", { listed }), listed["local/own-1"]);
	const dotted = readPriceLines(["claude-opus-5.5=9"]);
	assert.equal(pricesOf("anthropic/claude-opus-5-5", { listed: dotted }).input, 9);
	assert.deepEqual(
		["own-1=-2", "own-1=1/-1", "own-1", "own-1=1/2"].map((line) => readPriceLine(line) === undefined),
		[true, true, true, false],
	);
});

test("every row of the table is found under each of its names, and rows of one model are in order", () => {
	const days = new Map<string, string>();
	for (const { models, since = "", input } of PRICE_TABLE) {
		for (const model of models) {
			assert.ok((days.get(model) ?? "") <= since, model);
			days.set(model, since);
			assert.equal(pricesOf(model, since === "" ? { at: 0 } : { at: Date.parse(since) }).input, input, model);
			assert.equal(modelName(model), modelName(modelName(model)), "a name is its own name");
		}
	}
});
