import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { PROJECT_FOLDS, type ProjectState, projectState } from "../../src/context/project-state.ts";
import { isKnown } from "../../src/log/event/check.ts";
import type { EventRecord } from "../../src/log/event/types.ts";
import type { StateFold } from "../../src/log/fold/state-fold.ts";
import { type DemoLog, demoLog } from "./demo-log.ts";
import { randomWork } from "./random-work.ts";

let demo: DemoLog;
before(async () => {
	demo = await demoLog();
});
after(() => demo.remove());

const PARTS = Object.entries(PROJECT_FOLDS) as unknown as [keyof ProjectState, StateFold<unknown>][];

function initial(): ProjectState {
	return Object.fromEntries(PARTS.map(([part, fold]) => [part, fold.initial()])) as unknown as ProjectState;
}

function foldOver(state: ProjectState, records: readonly EventRecord[]): ProjectState {
	for (const record of records) {
		if (isKnown(record)) for (const [part, fold] of PARTS) fold.step(state[part], record);
	}
	return state;
}

/** Folding to a cut, writing the state down as JSON, reading it and folding the rest: the same as folding everything. */
function assertCuts(records: readonly EventRecord[], cuts: Iterable<number>): void {
	const whole = JSON.stringify(foldOver(initial(), records));
	for (const cut of cuts) {
		const written = JSON.stringify(foldOver(initial(), records.slice(0, cut)));
		const resumed = foldOver(JSON.parse(written) as ProjectState, records.slice(cut));
		assert.equal(JSON.stringify(resumed), whole, `cut after ${cut} of ${records.length}`);
	}
}

test("on the shipped session a snapshot at any cut and the rest give the state of the whole", () => {
	const records = [...demo.log.read()];
	assert.ok(records.length > 100);
	assertCuts(
		records,
		Array.from({ length: records.length + 1 }, (_, cut) => cut),
	);
});

test("on made-up sessions too", () => {
	fc.assert(
		fc.property(randomWork, fc.nat(), (records, cut) => assertCuts(records, [cut % (records.length + 1)])),
		{ numRuns: 150 },
	);
});

test("the runner's state at every event of the shipped session is what folding up to it gives", () => {
	const records = [...demo.log.read()];
	const runner = projectState(demo.log, { every: 20 });
	runner.current();
	for (let seq = 1; seq <= records.length; seq += 7) {
		assert.deepEqual(runner.at(seq).state, foldOver(initial(), records.slice(0, seq)), `at ${seq}`);
	}
});

test("versions are of our build, and every part has a name of its own", () => {
	const names = PARTS.map(([, fold]) => fold.name);
	assert.equal(new Set(names).size, names.length);
});
