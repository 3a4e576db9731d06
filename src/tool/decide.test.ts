import assert from "node:assert/strict";
import { test } from "node:test";
import { openHistory, PiSession, START } from "../../test/history/rig.ts";
import { decisionFold } from "../work/decision-fold.ts";
import { decide } from "./decide.ts";

type Args = Readonly<Record<string, unknown>>;

function decider() {
	const opened = openHistory();
	const session = new PiSession(opened.log, "s1");
	const run = (args: Args) => decide.run({ history: opened.history, session: session.ref, now: START }, args);
	const state = () => {
		const folded = decisionFold.initial();
		for (const record of opened.log.read()) decisionFold.step(folded, record);
		return folded;
	};
	return { run, state, [Symbol.dispose]: () => opened[Symbol.dispose]() };
}

test("a decision is an event of the session, with its reason", async () => {
	using one = decider();
	const answer = await one.run({ decision: "  Dates are in UTC ", rationale: "logs are" });
	const { seq } = answer.details as { seq: number };
	assert.deepEqual(answer, { text: `Recorded as decision #${seq}.`, details: { seq, added: true } });
	assert.deepEqual(one.state().active, [
		{ seq, ts: START, session: "s1", text: "Dates are in UTC", rationale: "logs are", supersedes: null },
	]);
});

test("a decision that replaces another leaves only itself standing, however the number is spelt", async () => {
	for (const spell of [(n: number) => n, (n: number) => `#${n}`, (n: number) => `e-${n}`, String]) {
		using one = decider();
		const { seq } = (await one.run({ decision: "Tabs" })).details as { seq: number };
		const second = await one.run({ decision: "Spaces", supersedes: spell(seq) });
		assert.match(second.text, new RegExp(`^Recorded as decision #\\d+, in place of #${seq}\\.$`));
		assert.deepEqual(
			one.state().active.map(({ text, supersedes }) => [text, supersedes]),
			[["Spaces", seq]],
		);
	}
});

test("what holds already is not recorded twice", async () => {
	using one = decider();
	const { seq } = (await one.run({ decision: "Tabs" })).details as { seq: number };
	assert.deepEqual(await one.run({ decision: "Tabs" }), {
		text: `That holds already, as decision #${seq}.`,
		details: { seq, added: false },
	});
	assert.equal(one.state().count, 1);
});

test("an empty, an overlong and a misdirected decision are refused with what to do, and nothing is written", async () => {
	using one = decider();
	const { seq } = (await one.run({ decision: "Tabs" })).details as { seq: number };
	await one.run({ decision: "Spaces", supersedes: seq });
	const refused = [
		await one.run({}),
		await one.run({ decision: "x".repeat(2_001) }),
		await one.run({ decision: "Neither", supersedes: seq }),
		await one.run({ decision: "Neither", supersedes: "the first" }),
	];
	assert.deepEqual(
		refused.map(({ isError, details }) => [isError, (details["error"] as { code: string }).code]),
		[
			[true, "bad-decision"],
			[true, "bad-decision"],
			[true, "not-found"],
			[true, "not-found"],
		],
	);
	assert.match(refused[2]!.text, /that still holds\. Those that hold:\n#\d+ Spaces$/);
	assert.equal(one.state().count, 2);
});
