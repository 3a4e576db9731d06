import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	ceilingTokens,
	decideSeal,
	hiddenGuess,
	keptTokens,
	overpaid,
	type Profile,
	readingPrice,
	type SealFigures,
	seedBudget,
} from "./rule.ts";

const PRICES = { input: 3, output: 5, read: 0.1, write: 1.25, writeLong: 2 };
const input = (more: Partial<SealFigures>): SealFigures => ({
	context: 40_000,
	after: 20_000,
	growth: 2_000,
	regret: 0,
	prices: PRICES,
	hidden: 20_000,
	ceiling: 100_000,
	cold: false,
	patience: 1,
	...more,
});

test("a request adds the price of holding what could leave to the regret", () => {
	const decision = decideSeal(input({ regret: 1_000 }));
	assert.deepEqual(decision, { seal: false, why: "not-worth-it", regret: 3_000, price: 43_000, floor: 20_000 });
});

test("the seal comes when the regret reaches the price of a new seed and what it hides", () => {
	assert.equal(decideSeal(input({ regret: 40_999 })).seal, false);
	assert.deepEqual(decideSeal(input({ regret: 41_000 })).why, "regret");
});

test("never before enough would leave, whatever the regret", () => {
	assert.equal(decideSeal(input({ context: 39_000, regret: 1e9 })).why, "too-early");
	// Little growth makes the floor lower than the 20,000 that it is at most.
	const slow = decideSeal(input({ context: 30_000, growth: 100, regret: 1e9 }));
	assert.ok(slow.floor < 10_000);
	assert.equal(slow.seal, true);
});

test("on a cold cache a seal saves the writing of what leaves, which must be worth what it hides", () => {
	assert.equal(decideSeal(input({ cold: true, context: 27_000 })).why, "too-early");
	assert.equal(decideSeal(input({ cold: true, context: 34_000 })).why, "not-worth-it");
	assert.equal(decideSeal(input({ cold: true, context: 36_000 })).why, "cold-cache");
	// Nothing was read again after earlier seals: they hid little.
	assert.equal(decideSeal(input({ cold: true, context: 29_000, hidden: 5_000 })).why, "cold-cache");
	// Long kept, soon left.
	assert.equal(decideSeal(input({ cold: true, context: 29_000, regret: 9_000 })).why, "cold-cache");
});

test("the ceiling holds, worth it or not", () => {
	assert.equal(decideSeal(input({ context: 100_000, after: 95_000 })).why, "ceiling");
});

test("the ceiling is half the window, at most 100,000, and three quarters of a small one; the seed is a share of a small window", () => {
	assert.deepEqual([32_000, 200_000, 1_000_000].map(ceilingTokens), [24_000, 100_000, 100_000]);
	assert.deepEqual(
		[sizesOf("thrifty", 200_000)[0], sizesOf("balanced", 200_000)[0], sizesOf("roomy", 32_000)[0]],
		[7_000, 11_000, 5_120],
	);
});

test("of talk more stays raw than of work: a quarter of the window, within a limit", () => {
	const kept = (window: number) => [false, true].map((isTalk) => sizesOf("balanced", window, 0.1, isTalk)[1]);
	assert.deepEqual([9_000, 16_000, 64_000, 200_000].map(kept), [
		[1_350, 2_250],
		[2_400, 4_000],
		[4_000, 8_000],
		[4_000, 8_000],
	]);
});

test("the cheapest reads keep more after a seal and make less of what it hides; without a cache less is kept", () => {
	const sizes = (read: number) => sizesOf("balanced", 200_000, read);
	assert.deepEqual([0.25, 0.1, 0].map(sizes), Array(3).fill([11_000, 4_000]), "a price of 0 is an unknown one");
	assert.deepEqual([1, 0.05, 0.025].map(sizes), [
		[7_700, 2_800],
		[11_000, 4_000],
		[13_750, 5_000],
	]);
	assert.equal(sizesOf("full", 32_000, 0.025)[0], 5_120, "a small window has the same limit");
	assert.deepEqual([0.1, 0.05, 0.025].map(hiddenGuess), [20_000, 14_000, 10_000]);
});

const STEP = { above: 95_000, surcharge: 0.4, fixed: 5_000 };
const below = { context: 94_000, after: 15_000, ceiling: 200_000, steps: [STEP] };

test("a request that would cross a step of the price is reason enough to seal, at any moment", () => {
	const crossing = decideSeal(input({ ...below, context: 96_000, patience: 1_000 }));
	assert.deepEqual([crossing.seal, crossing.why, crossing.stepSaved], [true, "step", 40_400]);
	assert.equal(decideSeal(input({ ...below, patience: 1_000 })).why, "not-worth-it");
	assert.equal(decideSeal(input({ ...below, context: 96_000, steps: [], patience: 1_000 })).why, "not-worth-it");
});

test("a step that costs less than a seal only adds to the regret", () => {
	const steps = [{ ...STEP, surcharge: 0.1 }];
	const figures = { ...below, context: 96_000, steps };
	assert.equal(overpaid({ ...figures, prices: PRICES }), 0.1 * 81_000 + 0.1 * 101_000);
	assert.equal(decideSeal(input({ ...figures, patience: 1_000 })).why, "not-worth-it");
	assert.equal(decideSeal(input({ ...figures, regret: 30_000 })).why, "regret");
	assert.equal(decideSeal(input({ ...figures, regret: 25_000 })).why, "step", "only with the step is it worth it");
	assert.equal(
		decideSeal(input({ ...figures, after: 95_500, ceiling: 200_000 })).stepSaved,
		50,
		"sealed, it is above too",
	);
});

test("for steady growth the rule seals within a request of the optimum, at any prices", () => {
	const prices = fc.record({
		input: fc.constant(1),
		output: fc.constant(5),
		writeLong: fc.constant(2),
		read: fc.double({ min: 0.05, max: 0.5, noNaN: true }),
		write: fc.double({ min: 1, max: 2, noNaN: true }),
	});
	fc.assert(
		fc.property(
			prices,
			fc.integer({ min: 500, max: 4_000 }),
			fc.integer({ min: 5_000, max: 20_000 }),
			(each, growth, after) => {
				const hidden = 60_000;
				let regret = 0;
				let requests = 0;
				for (; requests < 10_000; requests++) {
					const context = after + growth * (requests + 1);
					const decision = decideSeal(
						input({ context, after, growth, regret, prices: each, hidden, ceiling: Number.POSITIVE_INFINITY }),
					);
					regret = decision.regret;
					if (decision.seal) break;
				}
				const price = (each.write - each.read) * after + hidden;
				const best = Math.sqrt((2 * price) / (each.read * growth));
				const floor = decideSeal(input({ after, growth, prices: each })).floor / growth;
				assert.ok(Math.abs(requests - Math.max(best, floor)) <= Math.max(2, best * 0.1), `${requests} beside ${best}`);
			},
		),
	);
});

test("text that was read and not yet worked on makes a seal dearer, beyond what the seed can show", () => {
	assert.equal(readingPrice(5_000, 11_000, PRICES), 0);
	assert.equal(readingPrice(45_500, 11_000, PRICES), 200_000);
});

test("a first seal that costs much of what was paid so far does not come, unless it is free or due", () => {
	const due = { regret: 1e9, context: 43_000, after: 20_000 };
	// A new seed costs 23,000 and this request saves 2,300.
	assert.equal(decideSeal(input({ ...due, mostLost: 20_700 })).why, "regret");
	assert.equal(decideSeal(input({ ...due, mostLost: 20_699 })).why, "not-worth-it");
	assert.equal(decideSeal(input({ ...due, mostLost: 0, cold: true })).why, "cold-cache");
	assert.equal(decideSeal(input({ ...due, mostLost: 0, ceiling: 40_000 })).why, "ceiling");
});

function sizesOf(profile: Profile, window: number, read = 0.1, isTalk = false): [seed: number, kept: number] {
	const rule = { profile, window, prices: { read }, isTalk };
	return [seedBudget(rule), keptTokens(rule)];
}

test("what stays raw grows with a session, but not that of talk, and a seed is whole from the beginning", () => {
	const sizes = (messages: number | undefined, isTalk = false) => {
		const rule = { profile: "balanced", window: 200_000, prices: PRICES, messages, isTalk } as const;
		return [seedBudget(rule), keptTokens(rule)];
	};
	assert.deepEqual(sizes(0), [11_000, 2_000]);
	assert.deepEqual(sizes(100), [11_000, 3_000]);
	assert.deepEqual(sizes(200), [11_000, 4_000]);
	assert.deepEqual(sizes(4_000), sizes(undefined));
	assert.deepEqual(sizes(0, true), [11_000, 8_000]);
});
