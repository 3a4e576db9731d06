/** What the user asks of a seal, and what models wrote before it: in the request, without a host. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ModelGate } from "../../src/base/sidecar/gate.ts";
import { UNKNOWN_PRICES } from "../../src/base/tokens/prices.ts";
import { openEngine } from "../../src/engine.ts";
import { openSession } from "../../src/replay/recording.ts";
import { replayRow } from "../../src/replay/requests.ts";
import type { Summariser } from "../../src/state/history/summariser.ts";
import { rewriteSummaries } from "../../src/state/history/summary-rewrite.ts";
import { messageReader } from "../../src/state/work/translate-message.ts";
import { worked } from "../openclaw/rig.ts";
import { temporaryFolder } from "../rig/temporary-folder.ts";

const OF = { session: "s1", host: "test" };

function openProject(t: { after(end: () => void): void }) {
	const cwd = temporaryFolder();
	const engine = openEngine({ cwd, home: join(cwd, ".home"), host: "test", env: {}, now: () => 1_000 });
	t.after(() => engine.close());
	engine.record([{ type: "SessionStarted", ...OF, entry: "session", payload: { cwd, format: "test" } }]);
	const read = messageReader({ ...OF, cwd });
	let count = 0;
	const tell = (messages: readonly object[]) =>
		engine.record(messages.flatMap((message) => read(message as never, `m${count++}`)));
	return { engine, tell };
}

test("words of the user shape a seal without a model: they stand in it, with the lines that speak of them", async (t) => {
	const { engine, tell } = openProject(t);
	tell([
		{ role: "user", content: "The deployment key is called marigold-7; rotate it on Fridays." },
		{ role: "assistant", content: [{ type: "text", text: "Noted: marigold-7, Fridays." }] },
		...worked(30, 700),
	]);
	const words = "Keep everything about the deployment keys";
	const sealed = await engine.seal({ ...OF, window: 40_000, force: true, words });
	assert.match(
		sealed!.seed.text,
		/"Keep everything about the deployment keys"\n- \(m-[0-9a-f]{12}\) The deployment key is called marigold-7/,
	);
	assert.equal(sealed!.decision.why, "asked");
	assert.doesNotMatch((await engine.seal({ ...OF, window: 40_000, force: true }))?.seed.text ?? "", /asked to keep/);
});

test("one call writes what the user asked for; a model that fails leaves the lines", async (t) => {
	const { engine, tell } = openProject(t);
	tell(worked(30, 700));
	let calls = 0;
	const failing: Summariser = { name: "a/down", summarise: async () => Promise.reject(new Error(`down ${++calls}`)) };
	const writes: Summariser = { name: "a/b", summarise: async () => ({ text: `The parts, call ${++calls}.` }) };
	const models = [failing, writes];
	const sealed = await engine.seal({ ...OF, window: 40_000, force: true, words: "the parts", models });
	assert.equal(calls, 2);
	assert.match(sealed!.seed.text, /"the parts"\nThe parts, call 2\.\n/);
	const nodes = [...engine.log.read({ types: ["Summary"] })].map(({ payload }) => payload["model"]);
	assert.deepEqual(new Set(nodes), new Set(["deterministic"]));
});

test("what a model wrote after a seal stands in the next one, in the planner and in replay alike", async (t) => {
	const { engine, tell } = openProject(t);
	const gate = new ModelGate(() => 1_000);
	const text = "# Summary\n\nThe work went well, and `marigold` was found.";
	const models: Summariser[] = [{ name: "a/b", summarise: async () => ({ text }) }];
	const window = 40_000;
	const seeds: string[] = [];
	// Commands that print no file: replay would know its text from the recording, and the planner finds none on the disk.
	const messages = JSON.parse(JSON.stringify(worked(80, 700)).replaceAll("cat part-", "wc part-")) as ReturnType<
		typeof worked
	>;
	for (const message of messages) {
		const isAnswer = message["role"] === "assistant";
		const { seal } = isAnswer ? (await engine.assemble({ ...OF, window })).plan : {};
		tell([message]);
		if (!seal) continue;
		seeds.push(seal.seed.text);
		await rewriteSummaries(engine.history, { session: OF, models, gate, given: new Set(), now: () => 1_000 });
	}
	assert.ok(seeds.length >= 2, `${seeds.length} seals`);
	assert.doesNotMatch(seeds[0]!, /marigold/);
	assert.match(seeds[1]!, /messages\): The work went well, and `marigold` was found\./);
	const recording = openSession(engine.history, OF);
	const replayed: string[] = [];
	const options = { row: "woven", window, profile: "balanced", prices: UNKNOWN_PRICES } as const;
	for await (const { plan } of replayRow(recording, options)) if (plan?.seal) replayed.push(plan.seal.seed.text);
	assert.deepEqual(replayed, seeds);
});
