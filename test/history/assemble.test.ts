import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assembleHistory } from "../../src/state/history/assemble.ts";
import { compact } from "../../src/state/history/compact.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { frontier, openHistory, PiSession, START } from "./rig.ts";

const SMALL = { leafChunkTokens: 700, keepTokens: 700 };
const now = () => START;

test("the history has the document's headings, stats line and id list", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 12; n++) session.round(n);
	const model: Summariser = {
		name: "a/b",
		summarise: async ({ source }) => ({ text: `A summary of depth ${source.depth}.` }),
	};
	const options = { session: session.ref, settings: SMALL, models: [model], now };
	const { path } = await compact(opened.history, options);
	assert.deepEqual(frontier(path), [5, 1]);
	const [d1, a, b, c, d, e] = path.nodes.map(({ id }) => id);
	assert.equal(
		assembleHistory(opened.history, path.nodes, { maxTokens: 8_000 })!.text,
		`## Conversation History (Lossless Context Management)
${path.nodes.reduce((sum, node) => sum + node.messages, 0)} messages stored | 12 summaries | DAG depth 2

### High-Level Summary

[${d1}, D1]
A summary of depth 1.

[${a}, D0]
A summary of depth 0.

[${b}, D0]
A summary of depth 0.

[${c}, D0]
A summary of depth 0.

[${d}, D0]
A summary of depth 0.

### Recent Activity

[${e}, D0]
A summary of depth 0.

### Summary IDs for Drill-Down
- ${d1} (D1): "A summary of depth 1."
${[a, b, c, d, e].map((id) => `- ${id} (D0): "A summary of depth 0."`).join("\n")}`,
	);
});

test("58: between compactions not a byte changes, however many messages come", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 20; n++) session.round(n);
	await compact(opened.history, { session: session.ref, settings: SMALL, now });
	const assembled = () =>
		assembleHistory(opened.history, opened.history.path(session.ref).nodes, { maxTokens: 8_000 })!.text;
	const before = assembled();
	for (let n = 20; n < 23; n++) {
		session.round(n);
		assert.equal(assembled(), before);
	}
	opened.log.projection?.rebuild();
	assert.equal(assembled(), before, "and after a rebuild");
});

test("within any budget every node is named, and the newest leaf is whole", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 60; n++) session.round(n);
	const { path } = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	const ids = path.nodes.map(({ id }) => id);
	assert.ok(ids.length > 6);
	/** Itself, or the nodes that it was made from in its place. */
	const isShown = (id: string, whole: readonly string[]): boolean =>
		whole.includes(id) || opened.history.children(opened.history.node(id)!).some((below) => isShown(below.id, whole));
	fc.assert(
		fc.property(fc.integer({ min: 1_000, max: 12_000 }), (maxTokens) => {
			const { text, tokens, whole, named } = assembleHistory(opened.history, path.nodes, { maxTokens })!;
			assert.ok(tokens <= maxTokens, `${tokens} of ${maxTokens}`);
			assert.deepEqual(named, ids);
			assert.ok(text.includes(opened.history.text(path.nodes.at(-1)!)));
			for (const id of whole) assert.ok(text.includes(opened.history.text(opened.history.node(id)!)));
			const depths = path.nodes.filter(({ id }) => isShown(id, whole)).map(({ depth }) => depth);
			const missing = path.nodes.slice(0, -1).filter(({ id }) => !isShown(id, whole));
			// A deeper node is left out only where its text does not fit.
			assert.ok(missing.every(({ depth }) => depth <= Math.max(0, ...depths)) || whole.length === 1);
		}),
	);
});

test("where room is left, a computed summary of summaries gives way to those that it was made from", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 60; n++) session.round(n);
	const { path } = await compact(opened.history, { session: session.ref, settings: SMALL, now });
	const deep = path.nodes.filter(({ depth }) => depth > 0);
	const assembled = (maxTokens: number) => assembleHistory(opened.history, path.nodes, { maxTokens })!;
	assert.ok(deep.length > 0);
	assert.ok(deep.some(({ id }) => assembled(1_500).whole.includes(id)));
	const { whole } = assembled(60_000);
	assert.ok(whole.every((id) => opened.history.node(id)!.depth === 0));
	const firsts = whole.map((id) => opened.history.node(id)!.first);
	assert.deepEqual(
		firsts,
		firsts.toSorted((one, other) => one - other),
	);
});

test("a list that outgrows its share leaves out the oldest, and says where they are", async () => {
	using opened = openHistory();
	const session = new PiSession(opened.log);
	for (let n = 0; n < 90; n++) session.user(`request ${n} ${"x".repeat(300)}`);
	const settings = { leafChunkTokens: 100, keepTokens: 1, ceilingTokens: 1, condensationThreshold: 500 };
	const { path } = await compact(opened.history, { session: session.ref, settings, now });
	const { text, named, tokens } = assembleHistory(opened.history, path.nodes, { maxTokens: 1_500 })!;
	assert.ok(tokens <= 1_500 && named.length < path.nodes.length);
	assert.match(text, /\n- \d+ older summaries: lcm_describe with section "overview" lists them\n/);
	assert.deepEqual(
		named,
		path.nodes.slice(-named.length).map(({ id }) => id),
	);
});
