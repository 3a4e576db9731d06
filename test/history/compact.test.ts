import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelGate } from "../../src/base/sidecar/gate.ts";
import { compact } from "../../src/state/history/compact.ts";
import type { Summariser, SummaryRequest } from "../../src/state/history/summariser.ts";
import type { HistorySettings } from "../../src/state/history/types.ts";
import { checkCoverage, frontier, openHistory, PiSession, START } from "./rig.ts";

const SMALL: Partial<HistorySettings> = { leafChunkTokens: 700, keepTokens: 700, minMessages: 10 };
const now = () => START;

/** A model that answers from a script; the last answer repeats. */
function scripted(name: string, ...answers: (string | Error)[]): Summariser & { readonly asked: SummaryRequest[] } {
	const asked: SummaryRequest[] = [];
	return {
		name,
		asked,
		async summarise(request) {
			const answer = answers[Math.min(asked.length, answers.length - 1)]!;
			asked.push(request);
			if (answer instanceof Error) throw answer;
			return { text: answer };
		},
	};
}

test("42: below ten messages no model is called, and nothing is done", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 9; n++) session.user(`${n} ${"long ".repeat(2_000)}`);
	const model = scripted("a/b", "A summary.");
	const result = await compact(opened.history, { session: session.ref, settings: SMALL, models: [model], now });
	assert.equal(result.compacted, false);
	assert.equal(model.asked.length, 0);
	assert.deepEqual(result.path.nodes, []);
});

test("43: a leaf is the oldest contiguous run outside the tail; a summary ends the run", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	const settings = { ...SMALL, condensationThreshold: 50 };
	for (let n = 0; n < 5; n++) session.round(n);
	const first = await compact(opened.history, { session: session.ref, settings, now });
	for (let n = 5; n < 9; n++) session.round(n);
	const second = await compact(opened.history, { session: session.ref, settings, now });
	const stretches = second.path.nodes.map(({ first, last }) => [first, last] as const);
	assert.equal(stretches[0]![0], opened.history.tree.find(session.ref, "e1"));
	for (const [at, [begin]] of stretches.entries()) if (at > 0) assert.ok(begin > stretches[at - 1]![1]);
	assert.deepEqual(
		second.path.nodes.slice(0, first.path.nodes.length).map(({ id }) => id),
		first.path.nodes.map(({ id }) => id),
	);
	checkCoverage(opened.history, second.path);
});

test("44: an answer longer than its source is asked for again, then the deterministic text stands; CJK too", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.user(`段落${n}を要約してください。${"長い文章が続きます。".repeat(40)}`);
	const model = scripted("a/echo", "同じ".repeat(20_000));
	const result = await compact(opened.history, { session: session.ref, settings: SMALL, models: [model], now });
	assert.ok(result.compacted);
	assert.match(result.tried[0]!.reason, /longer than its source/);
	assert.ok(model.asked.some(({ prompt }) => /An earlier answer was refused: it is longer/.test(prompt)));
	for (const record of opened.log.read({ types: ["Summary"] })) {
		const {
			tokens,
			sourceTokens,
			model: by,
		} = record.payload as { tokens: number; sourceTokens: number; model: string };
		assert.equal(by, "deterministic");
		assert.ok(tokens < sourceTokens);
		if (sourceTokens >= 1_000) assert.ok(tokens <= sourceTokens * 0.15, `${tokens} of ${sourceTokens}`);
	}
});

test("45: an empty text or a failure writes nothing of that model's, and the exact reason is recorded", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 6; n++) session.round(n);
	const empty = scripted("a/empty", "  \n ");
	const failing = scripted("b/failing", new Error("401 invalid x-api-key"));
	const settings = { ...SMALL, leafChunkTokens: 4_000 };
	const options = { session: session.ref, settings, models: [empty, failing], now };
	const result = await compact(opened.history, options);
	assert.equal(result.leaves.length, 1);
	const first = opened.log.get(opened.history.node(result.leaves[0]!)!.seq)!;
	assert.deepEqual(first.payload["tried"], [
		...Array(3).fill({ model: "a/empty", reason: "it is empty" }),
		...Array(3).fill({ model: "b/failing", reason: "401 invalid x-api-key" }),
	]);
	assert.equal(first.payload["model"], "deterministic");
	checkCoverage(opened.history, result.path);
});

test("46: a chunk whose answers are refused does not block the next", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 6; n++) session.round(n);
	const model: Summariser = {
		name: "a/moody",
		summarise: async ({ prompt }) => ({ text: prompt.includes("T-1000") ? "I apologize, but no." : "Work went on." }),
	};
	const result = await compact(opened.history, { session: session.ref, settings: SMALL, models: [model], now });
	const by = result.leaves.map((id) => opened.history.node(id)!.model);
	assert.equal(by[0], "deterministic");
	assert.ok(by.slice(1).every((name) => name === "a/moody") && by.length > 2);
});

test("47: cancelling keeps what was written, and every message stays in one place", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	const controller = new AbortController();
	let calls = 0;
	const model: Summariser = {
		name: "a/slow",
		async summarise() {
			if (++calls === 6) controller.abort();
			return { text: `Summary ${calls}.` };
		},
	};
	const options = { session: session.ref, settings: SMALL, models: [model], now };
	const result = await compact(opened.history, { ...options, signal: controller.signal });
	assert.equal(result.ended, "cancelled");
	assert.ok(result.compacted && result.leaves.length < 8);
	checkCoverage(opened.history, result.path);
	const again = await compact(opened.history, options);
	assert.equal(again.ended, "done");
	checkCoverage(opened.history, again.path);
});

test("48: the oldest six of a depth become one when there are more than six", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	const settings = { leafChunkTokens: 50, keepTokens: 1, ceilingTokens: 1, minMessages: 1 };
	const counts = new Map<number, number[]>();
	for (let messages = 1; messages <= 44; messages++) {
		session.user(`request ${messages} ${"x".repeat(160)}`);
		const result = await compact(opened.history, { session: session.ref, settings, now });
		assert.equal(result.leaves.length, messages === 1 ? 0 : 1);
		counts.set(messages - 1, frontier(result.path));
	}
	assert.deepEqual(
		[1, 6, 7, 12, 13, 42, 43].map((leaves) => [leaves, counts.get(leaves)]),
		[
			[1, [1]],
			[6, [6]],
			[7, [1, 1]],
			[12, [6, 1]],
			[13, [1, 2]],
			[42, [6, 6]],
			[43, [1, 1, 1]],
		],
	);
});

test("49: only nodes of one depth are joined, the shallowest first, and a sweep goes on upwards", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 60; n++) session.user(`request ${n} ${"y".repeat(200)}`);
	const settings = { leafChunkTokens: 60, keepTokens: 1, ceilingTokens: 1 };
	const result = await compact(opened.history, { session: session.ref, settings, now });
	assert.equal(result.leaves.length, 59);
	assert.deepEqual(frontier(result.path), [5, 3, 1]);
	for (const id of result.condensed) {
		const node = opened.history.node(id)!;
		const children = opened.history.children(node);
		assert.equal(children.length, 6);
		assert.ok(children.every(({ depth }) => depth === node.depth - 1));
		assert.deepEqual([children[0]!.first, children.at(-1)!.last], [node.first, node.last]);
		assert.equal(opened.history.messages(node).length, node.messages);
	}
	checkCoverage(opened.history, result.path);
});

test("nodes of the greatest depth are not condensed", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 41; n++) session.user(`request ${n} ${"z".repeat(200)}`);
	const settings = { leafChunkTokens: 60, keepTokens: 1, ceilingTokens: 1, condensationThreshold: 2, maxDepth: 2 };
	const result = await compact(opened.history, { session: session.ref, settings, now });
	assert.deepEqual(frontier(result.path), [2, 1, 9]);
	checkCoverage(opened.history, result.path);
});

test("50: the tail and the newest request are never summarised", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 4; n++) session.round(n);
	const request = session.user("And now the last thing.");
	for (let n = 0; n < 6; n++) session.turn("bash", { command: `step ${n}` }, "out ".repeat(150));
	const result = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	assert.ok(result.compacted);
	const kept = result.path.runs.flat();
	assert.equal(kept[0]!.entry, request);
});

test("a run that outgrows the ceiling gives up its oldest turns, whole ones", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	session.user("Work through the night.");
	for (let n = 0; n < 40; n++) session.turn("bash", { command: `step ${n}` }, "out ".repeat(150));
	const settings = { ...SMALL, ceilingTokens: 2_000 };
	const { path } = await compact(opened.history, { session: session.ref, settings, now });
	const kept = path.runs.flat();
	assert.ok(kept.reduce((sum, { tokens }) => sum + tokens, 0) <= 2_000);
	assert.equal(kept[0]!.role, "assistant");
	checkCoverage(opened.history, path);
});

test("51: models see no thinking and no pictures, but who spoke; secrets are masked", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	// Joined at run time, so that no scanner takes this file for a leak.
	const token = ["ghp", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("_");
	session.say({
		role: "user",
		content: [
			{ type: "text", text: `Look at this. The token is ${token}.` },
			{ type: "image", data: "aGVsbG8=", mimeType: "image/png" },
		],
	});
	session.say({
		role: "assistant",
		content: [
			{ type: "thinking", thinking: "SECRET THOUGHTS", thinkingSignature: "sig" },
			{ type: "text", text: "I see." },
		],
	});
	for (let n = 0; n < 4; n++) session.round(n);
	const model = scripted("a/b", "Fine work.");
	const settings = { ...SMALL, leafChunkTokens: 4_000 };
	await compact(opened.history, { session: session.ref, settings, models: [model], now });
	const { prompt } = model.asked[0]!;
	assert.match(prompt, /\[m-[0-9a-f]{12} user\]\nLook at this\. The token is \[secret\]\.\n\[Media attachment\]/);
	assert.match(prompt, /\[m-[0-9a-f]{12} assistant\]\nI see\./);
	assert.doesNotMatch(prompt, /SECRET THOUGHTS|aGVsbG8|ghp_/);
});

test("the source is fenced by a name that it cannot hold, and prompts differ by depth", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 40; n++) session.round(n);
	const model = scripted("a/b", "Steps were made to work.");
	const gate = new ModelGate(now);
	await compact(opened.history, { session: session.ref, settings: SMALL, models: [model], gate, now });
	const prompts = new Map(model.asked.map(({ source, prompt }) => [source.depth, prompt]));
	assert.deepEqual([...prompts.keys()], [0, 1]);
	assert.match(prompts.get(0)!, /Keep, in their exact words/);
	assert.match(prompts.get(1)!, /Merge them into one/);
	for (const { prompt } of model.asked) {
		const [, fence] = /<(source-[0-9a-f]{12})>\n/.exec(prompt)!;
		assert.equal(prompt.split(`</${fence}>`).length, 2);
	}
});

test("53: a deadline ends it in good order; when nothing is left to do it says so", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	const stuck: Summariser = { name: "a/stuck", summarise: () => new Promise(() => {}) };
	const options = { session: session.ref, settings: SMALL, now };
	const late = await compact(opened.history, { ...options, models: [stuck], deadlineMs: 60 });
	assert.deepEqual([late.ended, late.compacted], ["deadline", false]);
	checkCoverage(opened.history, late.path);
	assert.equal((await compact(opened.history, options)).compacted, true);
	const nothing = await compact(opened.history, options);
	assert.deepEqual([nothing.compacted, nothing.ended], [false, "done"]);
});

test("a model that never answers is given up after its time, and the deterministic text stands", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 4; n++) session.round(n);
	const stuck: Summariser = { name: "a/stuck", summarise: () => new Promise(() => {}) };
	const options = { session: session.ref, settings: SMALL, models: [stuck], now, callMs: 5 };
	const result = await compact(opened.history, options);
	assert.equal(result.ended, "done");
	assert.match(result.tried[0]!.reason, /timeout/i);
});

test("54: the breaker opens after five failures, half-opens after its rest, and a person's wish resets it", async () => {
	let clock = START;
	const gate = new ModelGate(() => clock);
	for (let n = 0; n < 5; n++) {
		assert.equal(gate.enter("a/b"), undefined);
		gate.failed("a/b");
	}
	assert.match(gate.enter("a/b")!, /failed 5 times and rests until 2026-01-05T10:30/);
	assert.equal(gate.enter("c/d"), undefined, "another model is not concerned");
	clock += 30 * 60_000;
	assert.equal(gate.enter("a/b"), undefined);
	gate.failed("a/b");
	assert.match(gate.enter("a/b")!, /rests/, "one more failure and it rests again");
	gate.reset();
	assert.equal(gate.enter("a/b"), undefined);
	gate.passed("a/b");
	for (let n = 0; n < 4; n++) gate.failed("a/b");
	assert.equal(gate.enter("a/b"), undefined, "a success forgets what was before");
});

test("at most sixty calls an hour, of all models together; until then the deterministic text stands in", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 90; n++) session.user(`request ${n} ${"w".repeat(300)}`);
	const model = scripted("a/b", "A wish was told.");
	let clock = START;
	const gate = new ModelGate(() => clock);
	const settings = { leafChunkTokens: 100, keepTokens: 1, ceilingTokens: 1 };
	const options = { session: session.ref, settings, models: [model], gate, now };
	const result = await compact(opened.history, options);
	assert.equal(model.asked.length, 60);
	assert.equal(result.ended, "done");
	assert.match(result.tried[0]!.reason, /60 calls were made within the hour/);
	clock += 3_600_001;
	for (let n = 0; n < 10; n++) session.user(`wish ${n} ${"w".repeat(300)}`);
	await compact(opened.history, options);
	assert.ok(model.asked.length > 60);
});

test("55: when every model fails the history is still whole, and no summary is empty", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 8; n++) session.round(n);
	const models = [scripted("a/b", new Error("down")), scripted("c/d", "")];
	const result = await compact(opened.history, { session: session.ref, settings: SMALL, models, now });
	assert.ok(result.leaves.length > 0);
	for (const node of result.path.nodes) {
		assert.equal(node.model, "deterministic");
		assert.match(
			opened.history.text(node),
			/^m-[0-9a-f]{12} to m-[0-9a-f]{12}, \d+ messages, .*\n(?:Asked|Outcome|Changed|Ran|Read)/,
		);
	}
});

test("two processes that compact one session at once write no message under two nodes", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	const slow: Summariser = {
		name: "a/slow",
		async summarise() {
			await new Promise((resolve) => setTimeout(resolve, 5));
			return { text: "Work went on." };
		},
	};
	const options = { session: session.ref, models: [slow], now };
	const results = await Promise.all([
		compact(opened.history, { ...options, settings: SMALL }),
		compact(opened.history, { ...options, settings: { ...SMALL, leafChunkTokens: 1_500 } }),
	]);
	assert.ok(results.some(({ ended }) => ended === "overtaken"));
	checkCoverage(opened.history, opened.history.path(session.ref));
});

test("the same session gives the same nodes, ids and texts in another log", async () => {
	const read = async () => {
		using opened = openHistory();
		const session = new PiSession(opened.log);
		for (let n = 0; n < 30; n++) session.round(n);
		await compact(opened.history, { session: session.ref, settings: SMALL, now });
		return [...opened.log.read({ types: ["Summary"] })].map(({ payload }) => payload);
	};
	const [one, other] = [await read(), await read()];
	assert.ok(one.length > 20);
	assert.deepEqual(one, other);
});

test("whoever shares the process gets a turn after every node", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 20; n++) session.round(n);
	let turns = 0;
	let running = true;
	const count = () => {
		turns++;
		if (running) setImmediate(count);
	};
	setImmediate(count);
	const { leaves, condensed } = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	running = false;
	assert.ok(turns >= leaves.length + condensed.length && leaves.length > 10);
});

test("four leaves are written at a time, and in order", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 14; n++) session.round(n);
	let [inFlight, most, calls] = [0, 0, 0];
	const model: Summariser = {
		name: "a/b",
		async summarise() {
			most = Math.max(most, ++inFlight);
			// The earlier a call, the later its answer.
			await new Promise((resolve) => setTimeout(resolve, Math.max(1, 8 - ++calls)));
			inFlight--;
			return { text: "Steps were made to work." };
		},
	};
	const settings = { ...SMALL, condensationThreshold: 50 };
	const { path } = await compact(opened.history, { session: session.ref, settings, models: [model], now });
	assert.equal(most, 4);
	const written = path.nodes.map(({ seq }) => seq);
	assert.ok(written.length > 8);
	assert.deepEqual(
		written,
		written.toSorted((a, b) => a - b),
	);
});
