import assert from "node:assert/strict";
import { test } from "node:test";
import { openHistory, PiSession, START } from "../../test/history/rig.ts";
import { EVERYONE } from "../state/session/scope.ts";
import { decisionFold } from "../state/work/decision-fold.ts";
import { decide } from "./decide.ts";

interface Named {
	readonly seq: number;
	readonly handle: string;
}

type Args = Readonly<Record<string, unknown>>;

function decider() {
	const opened = openHistory();
	const session = new PiSession(opened.log, "s1");
	const run = (args: Args) =>
		decide.run({ history: opened.history, session: session.ref, scope: EVERYONE, now: START }, args);
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
	const { seq, handle } = answer.details as unknown as Named;
	assert.match(handle, /^e-[0-9a-f]{12}$/);
	assert.deepEqual(answer, { text: `Recorded as decision ${handle}.`, details: { seq, handle, added: true } });
	assert.deepEqual(one.state().active, [
		{ seq, handle, ts: START, session: "s1", text: "Dates are in UTC", rationale: "logs are", supersedes: null },
	]);
});

test("a decision that replaces another leaves only itself standing, however it is named", async () => {
	const spellings = [({ handle }: Named) => handle, ({ seq }: Named) => seq, ({ seq }: Named) => `#${seq}`];
	for (const spell of spellings) {
		using one = decider();
		const first = (await one.run({ decision: "Tabs" })).details as unknown as Named;
		const second = await one.run({ decision: "Spaces", supersedes: spell(first) });
		assert.match(second.text, new RegExp(`^Recorded as decision e-[0-9a-f]{12}, in place of ${first.handle}\\.$`));
		assert.deepEqual(
			one.state().active.map(({ text, supersedes }) => [text, supersedes]),
			[["Spaces", first.seq]],
		);
	}
});

test("what holds already is not recorded twice", async () => {
	using one = decider();
	const { seq, handle } = (await one.run({ decision: "Tabs" })).details as unknown as Named;
	assert.deepEqual(await one.run({ decision: "Tabs" }), {
		text: `This decision already holds, as ${handle}.`,
		details: { seq, handle, added: false },
	});
	assert.equal(one.state().count, 1);
});

test("an empty, an overlong and a misdirected decision are refused with what to do, and nothing is written", async () => {
	using one = decider();
	const { seq } = (await one.run({ decision: "Tabs" })).details as unknown as Named;
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
	assert.match(refused[2]!.text, /that still holds\. Those that hold:\ne-[0-9a-f]{12} Spaces$/);
	assert.equal(one.state().count, 2);
});
