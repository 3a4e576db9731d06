import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type CutMessage, keepNewest } from "../../message/turns.ts";
import { type Epoch, judgeEpoch } from "./epoch.ts";
import { keptTokens, seedBudget } from "./rule.ts";

const PROFILES = ["thrifty", "balanced", "roomy", "full"] as const;
const HIDDEN = 20_000;
/** How much dearer a session may be than without seals, wherever it ends. */
const MOST = 1.1;

/**
 * No rule knows when a session ends. One that ends right after its first seal has paid for a new beginning and saved nothing:
 * that is the worst that weft can do. Later seals are paid by what the first has saved.
 */
test("wherever a session ends, its seals have cost at most a tenth more than without them", () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: 100, max: 6_000 }), { minLength: 10, maxLength: 160 }),
			fc.constantFrom(...PROFILES),
			fc.constantFrom(1.25, 2),
			fc.constantFrom(0.1, 0.05),
			fc.constantFrom("rest", "work"),
			(results, profile, write, read, pause) => {
				const prices = { input: 3, output: 5, read, write, writeLong: 2 };
				let epoch: Epoch = { seed: undefined, tail: [message("user", 500)], start: 0 };
				let [paid, sent] = [0, 0];
				let [paidWithout, sentWithout] = [0, 0];
				for (const [n, tokens] of results.entries()) {
					const id = `c${n}`;
					const tail = [...epoch.tail, message("assistant", 200, [id]), message("toolResult", tokens, [], [id])];
					epoch = { ...epoch, tail };
					const all = sizeOf(tail);
					const added = n === 0 ? all : tokens + 200;
					const rule = { profile, window: 200_000, prices, messages: 1 + 2 * (n + 1) };
					const decision = judgeEpoch(epoch, { ...rule, hidden: HIDDEN, cold: false, pause });
					// The ceiling holds, worth it or not.
					if (decision.why === "ceiling") return;
					if (decision.seal) {
						const seed = Math.min(seedBudget(rule), epoch.seed ?? Math.ceil(all * 0.6));
						const kept = tail.slice(keepNewest(tail, { limit: keptTokens(rule) }));
						epoch = { seed, tail: kept, start: kept.length };
						sent = seed + sizeOf(kept);
						paid += write * sent;
					} else {
						paid += read * sent + write * added;
						sent += added;
					}
					paidWithout += read * sentWithout + write * added;
					sentWithout += added;
					assert.ok(paid <= paidWithout * MOST + 1, `request ${n}: ${paid / paidWithout}`);
				}
			},
		),
		{ numRuns: 300 },
	);
});

function sizeOf(messages: readonly CutMessage[]): number {
	return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

function message(role: string, tokens: number, calls: string[] = [], results: string[] = []): CutMessage {
	return { role, tokens, calls, results };
}
