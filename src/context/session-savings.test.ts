import assert from "node:assert/strict";
import { test } from "node:test";
import { openHistory, PiSession, START } from "../../test/history/rig.ts";
import { estimateTokens } from "../base/tokens/estimate.ts";
import { pricesFromList, pricesOf } from "../base/tokens/prices.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { SessionSavings } from "./session-savings.ts";

const TEXT = "a word or two ".repeat(400);
let requests = 0;

/** A request of so many tokens; `seed`: those that stand for what left. */
function request(log: Log, session: SessionRef, sizes: { seed?: number; tail: number; fresh?: boolean }): void {
	const segment = (name: string, tokens: number) => ({ name, bytes: tokens * 3, tokens, sha256: "" });
	log.append([
		{
			type: "Request",
			...session,
			ts: START,
			entry: `request ${++requests}`,
			payload: {
				request: String(requests),
				segments: [segment("system", 3_000), segment("seed", sizes.seed ?? 0), segment("tail", sizes.tail)],
				kept: 0,
				items: [],
				reasons: [],
				difference: sizes.fresh ? { segment: "tail", byte: 9_000, tokens: 10 } : null,
				predicted: { read: 0, write: 0, input: 0 },
			},
		},
	]);
}

test("savings come with the requests that a seal made smaller, and are the same after a resume", () => {
	using opened = openHistory();
	const { log, history } = opened;
	const session = new PiSession(log, "s1");
	const ref = session.ref;
	const of = (savings: SessionSavings) => Number(savings.dollars(history.tree.tip(ref), 200_000).toFixed(6));
	const live = new SessionSavings(log, history.tree, ref, (model) => pricesOf(model));

	session.user(TEXT);
	request(log, ref, { tail: 1_800 });
	session.assistant(TEXT);
	session.user(TEXT);
	request(log, ref, { tail: 5_400 });
	history.catchUp();
	assert.equal(of(live), 0, "nothing has left yet");

	request(log, ref, { seed: 500, tail: 500, fresh: true });
	const sealed = of(live);
	request(log, ref, { seed: 500, tail: 500 });
	const later = of(live);
	const whole = 3 * estimateTokens(TEXT);
	assert.ok(Math.abs(later - sealed - ((whole - 1_000) * 0.1 * 3) / 1e6) < 1e-4, "each request reads so much less");
	assert.equal(of(new SessionSavings(log, history.tree, ref, (model) => pricesOf(model))), later);
	const free = pricesFromList({ input: 0 });
	assert.equal(of(new SessionSavings(log, history.tree, ref, () => free)), 0, "a free model saves no money");
});
