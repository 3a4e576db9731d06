import assert from "node:assert/strict";
import { test } from "node:test";
import { type ArmSession, compareArms, renderArms } from "./arm-comparison.ts";
import { PLAIN } from "./text-style.ts";

function session(isControl: boolean, dollars: number, requests = 10, more: Partial<ArmSession> = {}): ArmSession {
	const fixed = { session: "s", agent: "pi", estimated: false, assumed: false, rereads: 1 };
	return { ...fixed, isControl, dollars, requests, ...more };
}

const spread = (base: number) => [0.9, 0.95, 1, 1.05, 1.1, 0.98, 1.02, 1].map((factor) => base * factor);

test("a clear difference has an interval on one side of 100 %", () => {
	const sessions = [...spread(2).map((each) => session(true, each)), ...spread(1).map((each) => session(false, each))];
	const { cost } = compareArms(sessions, "run");
	assert.ok(cost && Math.abs(cost.value - 0.5) < 1e-9);
	assert.ok(cost.low > 0.46 && cost.low < 0.5 && cost.high > 0.5 && cost.high < 0.54, JSON.stringify(cost));
	assert.deepEqual(compareArms(sessions, "run").cost, cost, "the same sessions give the same bounds");
});

test("what is no difference is called none, and few sessions are called few", () => {
	const sessions = [1, 3, 2].flatMap((dollars) => [session(true, dollars), session(false, dollars * 1.1)]);
	const text = [...renderArms(compareArms(sessions, "run"), PLAIN)].join("\n");
	assert.match(text, /includes 100 %, so this shows no difference yet/);
	assert.match(text, /take the interval as a hint/);
	const one = compareArms([session(true, 1), session(false, 1), session(false, 1, 0)], "run");
	assert.deepEqual([one.cost, one.weft.sessions], [null, 1], "a session without requests does not count");
	assert.match([...renderArms(one, PLAIN)].join("\n"), /Too few to compare/);
});

test("sessions of different work are compared by request", () => {
	const sessions = [session(true, 10, 100), session(true, 1, 10), session(false, 1, 20), session(false, 2, 40)];
	assert.equal(compareArms(sessions, "request").cost?.value, 0.5);
});

test("a trial shows how often the task was done", () => {
	const runs = [true, false].flatMap((isControl) =>
		[true, isControl].map((isPassed) => session(isControl, 1, 10, { isPassed })),
	);
	assert.match([...renderArms(compareArms(runs, "run"), PLAIN)].join("\n"), /with weft +2 +1 of 2 /);
});
