import assert from "node:assert/strict";
import { test } from "node:test";
import { readJsonAnswer, type SideModel } from "./ask.ts";
import { ModelGate } from "./gate.ts";
import { type JobReport, Sidecar, type SideJob } from "./sidecar.ts";

type Scripted = SideModel & { readonly asked: string[] };

/** Answers in order; the last one again and again. A function may wait for its signal. */
function scripted(name: string, ...answers: (string | Error | ((signal: AbortSignal) => Promise<string>))[]): Scripted {
	const asked: string[] = [];
	return {
		name,
		asked,
		async complete(prompt, { signal }) {
			const answer = answers[Math.min(asked.push(prompt), answers.length) - 1]!;
			if (answer instanceof Error) throw answer;
			return { text: typeof answer === "string" ? answer : await answer(signal), usage: { input: 1 } };
		},
	};
}

const never = () => new Promise<string>(() => {});
const job = (models: readonly SideModel[], more: Partial<SideJob<unknown>> = {}): SideJob<unknown> => ({
	name: "job",
	models,
	maxTokens: 100,
	prompt: (refused) => `Do it.${refused === undefined ? "" : ` Not like that: ${refused}`}`,
	read: readJsonAnswer,
	...more,
});

function sidecar(): { readonly side: Sidecar; readonly reports: JobReport[] } {
	const reports: JobReport[] = [];
	let clock = 0;
	const now = () => clock++;
	return { side: new Sidecar({ now, gate: new ModelGate(now), onReport: (report) => reports.push(report) }), reports };
}

test("takes an answer with words or a fence around it; repairs once with the reason; then asks the next model", async () => {
	const { side, reports } = sidecar();
	for (const text of ['{"a":1}', '```json\n{"a":1}\n```', 'Here: {"a":1}. Done.']) {
		assert.deepEqual((await side.run(job([scripted("m/one", text)]))).value, { a: 1 });
	}
	const [bad, good] = [scripted("m/bad", "no", "{ no }"), scripted("m/good", '{"a":2}')];
	const { value, report } = await side.run(job([bad, good]));
	assert.deepEqual(value, { a: 2 });
	assert.deepEqual(bad.asked, ["Do it.", "Do it. Not like that: there is no JSON object in it"]);
	assert.deepEqual(
		report.tried.map(({ model }) => model),
		["m/bad", "m/bad"],
	);
	assert.deepEqual(
		reports.map(({ outcome, model, calls }) => [outcome, model, calls]),
		[
			["done", "m/one", 1],
			["done", "m/one", 1],
			["done", "m/one", 1],
			["done", "m/good", 3],
		],
	);
	assert.deepEqual(reports[0]?.usage, { input: 1 });
});

test("an answer that is late, huge, no text or an error costs the job, and nothing else", async () => {
	const { side, reports } = sidecar();
	const noText = { name: "m/odd", complete: async () => ({}) as { text: string } };
	const bad: [SideModel, RegExp][] = [
		[scripted("m/late", never), /timeout/],
		[scripted("m/huge", "x".repeat(500_000)), /500000 characters/],
		[noText, /no text/],
		[scripted("m/down", new Error("503")), /503/],
	];
	for (const [model, reason] of bad) {
		const { value, report } = await side.run(job([model], { callMs: 5, attempts: 1 }));
		assert.equal(value, undefined);
		assert.equal(report.outcome, "refused");
		assert.match(report.tried[0]!.reason, reason);
	}
	const broken = await side.run(job([scripted("m/a", "{}")], { read: () => assert.fail("a bug of ours") }));
	assert.match(broken.report.tried[0]!.reason, /a bug of ours/);
	assert.deepEqual((await side.run(job([scripted("m/fine", "{}")]))).value, {});
	assert.equal(reports.length, 6);
});

test("one job at a time; of those that wait under one key the newest; an urgent one does not wait", async () => {
	const { side } = sidecar();
	const order: string[] = [];
	const gate = Promise.withResolvers<string>();
	const named = (name: string, answer: Promise<string>) => ({
		name: `m/${name}`,
		complete: async () => {
			order.push(name);
			return { text: await answer };
		},
	});
	const done = Promise.resolve("{}");
	const first = side.run(job([named("first", gate.promise)]));
	await Promise.resolve();
	const older = side.run(job([named("older", done)], { key: "k" }));
	const newer = side.run(job([named("newer", done)], { key: "k" }));
	await side.run(job([named("urgent", done)], { isUrgent: true }));
	assert.deepEqual(order, ["first", "urgent"]);
	assert.equal((await older).report.outcome, "cancelled");
	gate.resolve("{}");
	assert.deepEqual([(await first).value, (await newer).value], [{}, {}]);
	await side.idle();
	assert.deepEqual(order, ["first", "urgent", "newer"]);
});

test("the end of a session cancels what runs and what waits; a model that is down rests", async () => {
	const { side } = sidecar();
	const jobs = [side.run(job([scripted("m/stuck", never)])), side.run(job([scripted("m/next", "{}")]))];
	await new Promise((resolve) => setImmediate(resolve));
	side.end();
	assert.deepEqual(
		(await Promise.all(jobs)).map(({ report }) => report.outcome),
		["cancelled", "cancelled"],
	);
	assert.equal((await side.run(job([scripted("m/late", "{}")]))).report.outcome, "cancelled");

	const other = sidecar().side;
	const down = scripted("m/down", new Error("no"));
	for (let n = 0; n < 3; n++) await other.run(job([down]));
	assert.equal(down.asked.length, 5, "after five failures it is not asked again");
	assert.equal((await other.run(job([]))).report.outcome, "failed", "without a model nothing is asked");
});
