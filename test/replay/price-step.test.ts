import assert from "node:assert/strict";
import test from "node:test";
import { type Prices, pricesOf } from "../../src/base/tokens/prices.ts";
import { replayRow } from "../../src/replay/requests.ts";
import { call, PiLines, text, withRecording } from "./rig.ts";

const MESSAGE_TOKENS = 19_600;
const FIXED_TOKENS = 3_000;
const WINDOW = 1_000_000;

/** A user who pastes much each time, and short answers: few requests, so little regret. */
function pastes(count: number): readonly object[] {
	const session = new PiLines();
	// Without any call it would be talk, of which a seal hides more.
	session.user("Look around.");
	for (const id of ["one", "two"]) {
		session.answer([call(id, "bash", { command: "true" })], {}, { model: "claude-haiku-5-5" });
		session.result(id, "");
	}
	for (let at = 1; at <= count; at++) {
		session.user(`${at} ${"word ".repeat((MESSAGE_TOKENS * 3.2) / 5)}`);
		const usage = { input: at * (MESSAGE_TOKENS + 10) + FIXED_TOKENS, output: 10, cacheRead: 0, cacheWrite: 0 };
		session.answer([text(`Answer ${at}.`)], {}, { model: "claude-haiku-5-5", usage });
	}
	return session.lines;
}

async function sealsOf(prices: Prices): Promise<readonly (readonly [request: number, reason: string | undefined])[]> {
	return withRecording(pastes(5), async (recording) => {
		const seals: (readonly [number, string | undefined])[] = [];
		for await (const { call, plan, reason } of replayRow(recording, {
			row: "woven",
			window: WINDOW,
			profile: "thrifty",
			prices,
		})) {
			if (!plan.seal) continue;
			seals.push([call.index, reason]);
			assert.equal((plan.seal.decision.stepSaved ?? 0) > 0, reason === "sealed: step");
		}
		return seals;
	});
}

test("a request that would cross the step of its model's price is sealed first; without the step it is not", async () => {
	const haiku = pricesOf("claude-haiku-5-5");
	assert.deepEqual(await sealsOf(haiku), [[6, "sealed: step"]]);
	assert.deepEqual(await sealsOf({ ...haiku, steps: undefined }), []);
});
