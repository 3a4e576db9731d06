/** Summaries that a model writes after the fact: a better text under the same id, in the log, when the limit allows it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelGate } from "../../src/base/sidecar/gate.ts";
import { compact } from "../../src/state/history/compact.ts";
import { gistOf } from "../../src/state/history/gist.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { rewriteSummaries } from "../../src/state/history/summary-rewrite.ts";
import type { HistorySettings } from "../../src/state/history/types.ts";
import { EVERYONE } from "../../src/state/session/scope.ts";
import { lcmGrep } from "../../src/tool/grep.ts";
import { checkCoverage, openHistory, PiSession, START } from "./rig.ts";

const SMALL: Partial<HistorySettings> = { leafChunkTokens: 700, keepTokens: 700, minMessages: 10 };

function writer(name: string, text: string): Summariser & { calls: number } {
	return {
		name,
		calls: 0,
		async summarise({ source }) {
			this.calls++;
			return { text: `## Summary\n\n**Goal:**\n- ${text} (depth ${source.depth})\n- More was done.` };
		},
	};
}

test("a model writes the uncovered nodes again: same ids, same coverage, and a rebuilt log says the same", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	const now = () => START;
	const { path: before } = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	const model = writer("a/b", "Steps were made to work");
	const gate = new ModelGate(now);
	const options = { session: session.ref, models: [model], gate, given: new Set<string>(), now };
	const { nodes, waitMs } = await rewriteSummaries(opened.history, options);
	assert.equal(waitMs, undefined);
	assert.deepEqual(nodes.toSorted(), before.nodes.map(({ id }) => id).toSorted());
	const after = opened.history.path(session.ref);
	assert.deepEqual(
		after.nodes.map(({ id, seq, model, topic }) => ({ id, seq, model, topic })),
		before.nodes.map(({ id, seq, depth }) => ({
			id,
			seq,
			model: "a/b",
			topic: `Steps were made to work (depth ${depth})`,
		})),
	);
	checkCoverage(opened.history, after);
	assert.deepEqual(
		opened.history.stats(session.ref).nodes,
		before.nodes.reduce((sum, node) => sum + node.nodes, 0),
	);
	// Nothing is left to do, and who writes new nodes is not disturbed.
	assert.deepEqual((await rewriteSummaries(opened.history, options)).nodes, []);
	for (let n = 12; n < 16; n++) session.round(n);
	const more = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	assert.equal(more.ended, "done");
	checkCoverage(opened.history, more.path);
	const texts = more.path.nodes.map((node) => opened.history.text(node));
	opened.log.rebuild();
	assert.deepEqual(
		opened.history.path(session.ref).nodes.map((node) => opened.history.text(node)),
		texts,
	);
	const context = { history: opened.history, session: session.ref, scope: EVERYONE, now: START };
	const { details } = await lcmGrep.run(context, { query: "Steps were made", scope: "summaries" });
	assert.ok((details as { hits: string[] }).hits.every((id) => opened.history.node(id) !== undefined));
});

test("the hour's limit delays a summary: it waits for its turn and is then written by the model", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	let clock = START;
	const now = () => clock;
	const settings = { ...SMALL, condensationThreshold: 50 };
	await compact(opened.history, { session: session.ref, settings, now });
	const gate = new ModelGate(now);
	for (let n = 0; n < 58; n++) assert.equal(gate.enter("other"), undefined);
	const model = writer("a/b", "Work went on");
	const options = { session: session.ref, models: [model], gate, given: new Set<string>(), now };
	const first = await rewriteSummaries(opened.history, options);
	assert.deepEqual([first.nodes.length, first.waitMs, model.calls], [2, 3_600_001, 2]);
	assert.equal(options.given.size, 0);
	clock += first.waitMs!;
	const second = await rewriteSummaries(opened.history, options);
	assert.equal(second.waitMs, undefined);
	const models = opened.history.path(session.ref).nodes.map((node) => node.model);
	assert.deepEqual(new Set(models), new Set(["a/b"]));
});

test("an answer longer than a tiny source is no failure: it is not asked for again and opens no breaker", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 30; n++) session.user(`wish ${n} is small`);
	const model = writer("a/b", "The user made a wish, and the wish was small, as wishes go at that time of the day");
	const gate = new ModelGate(() => START);
	const settings = { leafChunkTokens: 12, keepTokens: 1, ceilingTokens: 1, condensationThreshold: 50 };
	const result = await compact(opened.history, { session: session.ref, settings, models: [model], gate });
	assert.ok(result.leaves.length > 8);
	assert.equal(model.calls, result.leaves.length);
	assert.match(result.tried[0]!.reason, /longer than its source/);
	assert.equal(gate.enter("a/b"), undefined);
	assert.deepEqual(new Set(result.path.nodes.map((node) => node.model)), new Set(["deterministic"]));
});

test("the gist of a summary is what it says, not how it is headed", () => {
	assert.equal(
		gistOf("# Summary\n\n**Overview**\n\n1. The login was repaired.\n2. `auth.ts` changed", 80),
		"The login was repaired. `auth.ts` changed",
	);
	assert.equal(gistOf("**Goal:** make it *fast*, with `a_b__c`.", 80), "Goal: make it *fast*, with `a_b__c`.");
	assert.equal(gistOf("## Only a heading", 80), "Only a heading");
	assert.equal(gistOf("Decisions:\n- keep the cookie\n- drop the cache", 20), "keep the cookie; dr…");
});

test("a quote that was cut says so, and keeps its handle", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	session.user(`Do it ${"very ".repeat(200)}well.`);
	session.assistant(`Done ${"quite ".repeat(200)}well.`);
	for (let n = 0; n < 6; n++) session.round(n);
	const options = { session: session.ref, settings: { ...SMALL, leafChunkTokens: 2_000 }, now: () => START };
	const { path } = await compact(opened.history, options);
	const text = opened.history.text(path.nodes[0]!);
	assert.match(text, /"Do it very [very ]+…" \(m-[0-9a-f]{12}\)/);
	assert.match(text, /Done quite [quite ]+… \(m-[0-9a-f]{12}\)/);
});
