/** A short month of talk: what weft sends, stores and works for it stays in proportion to what was said. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { month } from "../../bench/chat/month.ts";
import { HostModel } from "../../src/agent/openclaw/conformance/host-model.ts";
import { place } from "./rig.ts";

const TURNS = 70;
const WINDOW_TOKENS = 24_000;
/** After this long the memory is written too: a night, not a pause between two sittings. */
const REST_MS = 6 * 3_600_000;

test("a session that talks for weeks uses its window, seals rarely, and writes its memory when something leaves", async (t) => {
	const at = place(t);
	const sizes: number[] = [];
	const host = new HostModel({
		make: ({ readTranscript, now }) => at.engine({ readTranscript, now: () => now }),
		window: WINDOW_TOKENS,
		peer: "whatsapp:direct:alice",
		onRequest: ({ tokens }) => sizes.push(tokens),
	});
	let rests = 0;
	for (const { prompt, answer, pauseMs } of month(TURNS)) {
		host.now += pauseMs;
		if (pauseMs >= REST_MS) rests++;
		assert.equal(await host.turn(prompt, [], { answer }), answer);
	}
	assert.deepEqual([host.errors, at.warnings], [[], []]);
	const seals = at.events("Seal").length;
	assert.ok(seals >= 2 && seals <= 12, `${seals} seals`);
	const mean = sizes.reduce((sum, tokens) => sum + tokens, 0) / sizes.length;
	assert.ok(mean > WINDOW_TOKENS / 2, `${Math.round(mean)} tokens a request`);
	// The host asks before each turn for a compaction of its own transcript, which nothing of ours needs.
	const consolidations = at.events("Consolidation").filter(({ payload }) => payload["state"] === "done").length;
	assert.ok(consolidations <= seals + rests + 2, `${consolidations} for ${seals} seals and ${rests} rests`);
});
