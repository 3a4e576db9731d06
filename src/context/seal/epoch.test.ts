import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { CutMessage } from "../../message/turns.ts";
import { judgeEpoch } from "./epoch.ts";

const PROFILES = ["thrifty", "balanced", "roomy", "full"] as const;
const HIDDEN = 20_000;

/**
 * No rule knows when a session ends. One that ends right after its first seal has paid for a new beginning and saved nothing:
 * that is the worst that weft can do.
 */
test("a session that ends right after its first seal has paid at most a tenth more than without it", () => {
	fc.assert(
		fc.property(
			fc.array(fc.integer({ min: 100, max: 6_000 }), { minLength: 10, maxLength: 120 }),
			fc.constantFrom(...PROFILES),
			fc.constantFrom(1.25, 2),
			fc.constantFrom("rest", "work"),
			(results, profile, write, pause) => {
				const prices = { input: 3, output: 5, read: 0.1, write, writeLong: 2 };
				const tail: CutMessage[] = [message("user", 500)];
				let [context, paid] = [500, write * 500];
				for (const [n, tokens] of results.entries()) {
					tail.push(message("assistant", 200, [`c${n}`]), message("toolResult", tokens, [], [`c${n}`]));
					const rule = { profile, window: 200_000, prices, hidden: HIDDEN, messages: tail.length };
					const decision = judgeEpoch({ seed: undefined, tail, start: 0 }, { ...rule, cold: false, pause });
					const without = paid + prices.read * context + write * (tokens + 200);
					if (decision.seal && decision.why === "regret") {
						const after = (decision.price / (pause === "work" ? 2 : 1) - HIDDEN) / (write - prices.read);
						assert.ok(paid + write * after <= without * 1.1 + 1, `${(paid + write * after) / without}`);
						return;
					}
					paid = without;
					context += tokens + 200;
				}
			},
		),
	);
});

function message(role: string, tokens: number, calls: string[] = [], results: string[] = []): CutMessage {
	return { role, tokens, calls, results };
}
