import assert from "node:assert/strict";
import { test } from "node:test";
import type { CostOfSession } from "./cost-parts.ts";
import { renderSaving, type SessionSaving, sessionsToReplay, sumSavings } from "./saving.ts";
import { PLAIN } from "./text-style.ts";

const HOUR_MS = 3_600_000;
const saving = (session: string, read: number, hours: readonly [at: number, paid: number, weft: number][]) =>
	({
		session,
		agent: "pi",
		project: "/p",
		read,
		estimated: true,
		assumed: false,
		edits: { of: 4, weft: 3, host: 4 },
		hours: hours.map(([at, paid, weft]) => ({ at: at * HOUR_MS, paid, weft, seals: 1, compactions: 0 })),
	}) satisfies SessionSaving;

test("savings add up by price class and over time, and hours before the start do not count", () => {
	const all = [
		saving("a", 0.1, [
			[1, 2, 1],
			[3, 4, 3],
		]),
		saving("b", 0.25, [
			[2, 1, 1],
			[3, 3, 1],
		]),
	];
	const view = sumSavings(all, 2);
	assert.deepEqual([view?.paid, view?.weft], [10, 6]);
	assert.deepEqual(view?.classes, [
		{ read: 0.25, sessions: 1, paid: 4, weft: 2, assumed: false },
		{ read: 0.1, sessions: 1, paid: 6, weft: 4, assumed: false },
	]);
	assert.deepEqual(
		view?.soFar.map(({ at, paid, weft, seals }) => [at / HOUR_MS, paid, weft, seals]),
		[
			[1, 2, 1, 1],
			[2, 3, 2, 1],
			[3, 10, 6, 2],
		],
	);
	assert.equal(
		view?.sentence,
		"The 2 dearest sessions without weft cost ~$10.00. With weft about $6.00, 40 % less; 6 of 8 edits still had their text before them (the agent alone: 8).",
	);
	const since = sumSavings(all, 0, 3 * HOUR_MS);
	assert.deepEqual([since?.paid, since?.weft], [7, 4]);
	assert.equal(sumSavings(all, 0, 4 * HOUR_MS), undefined);
	const text = [...renderSaving(view!, { ...PLAIN, columns: 80 })];
	assert.ok(text.every((line) => line.length <= 80));
	assert.match(text.join("\n"), /^agent .*~\$10\.00$/m);
	assert.equal(text.join("\n").match(/[▁-█] ~\$6\.00$/gm)?.length, 1, "weft's curve ends at its own sum");
	assert.match(text.join("\n"), /^10\.0 % of a plain one +1 +~\$6\.00 +~\$4\.00 +33\.3 %$/m);
});

test("a question mark follows each sum in which the price of a model is assumed, and no other", () => {
	const hours: readonly [number, number, number][] = [1, 2, 3].map((at) => [at, 2, 1]);
	const view = sumSavings([saving("a", 0.1, hours), { ...saving("b", 0.25, hours), assumed: true }], 0);
	assert.match(view!.sentence, /^2 sessions without weft cost ~\$12\.00\?\. With weft about \$6\.00\?, 50 % less;/);
	const text = [...renderSaving(view!, { ...PLAIN, columns: 80 })].join("\n");
	assert.match(text, /^25\.0 % of a plain one +1 +~\$6\.00\? +~\$3\.00\? +50\.0 %$/m);
	assert.match(text, /^10\.0 % of a plain one +1 +~\$6\.00 +~\$3\.00 +50\.0 %$/m);
	assert.match(text, /~\$12\.00\?/);
});

test("the dearest sessions without weft are replayed, except those that are too long", () => {
	const cost = (session: string, dollars: number, more: Partial<CostOfSession> = {}) =>
		({ session, dollars, requests: 10, ranWithWeft: false, ...more }) as CostOfSession;
	const costs = [
		cost("cheap", 1),
		cost("free", 0),
		cost("long", 90, { requests: 4_000 }),
		cost("ours", 50, { ranWithWeft: true }),
		cost("dear", 20),
	];
	const { chosen, left } = sessionsToReplay(costs, 1);
	assert.deepEqual(
		chosen.map(({ session }) => session),
		["dear"],
	);
	assert.equal(left, 2);
});
