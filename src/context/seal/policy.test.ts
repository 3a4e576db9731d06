import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pricesFromList, UNKNOWN_PRICES } from "../../base/tokens/prices.ts";
import { policyOf, renderAutoPolicy, SEAL_POLICIES, sealLimit } from "./policy.ts";
import { ceilingTokens } from "./rule.ts";

const PAID = pricesFromList({ input: 3, cacheRead: 0.3, cacheWrite: 3.75 });
const FREE = pricesFromList({ input: 0 });

test("without a wish of the user, the policy follows from who pays what", () => {
	assert.equal(policyOf("auto", PAID), "thrift");
	assert.equal(policyOf("auto", UNKNOWN_PRICES), "thrift");
	assert.equal(policyOf("auto", FREE), "late");
	assert.equal(policyOf("auto", PAID, "flat"), "window");
	assert.equal(policyOf("auto", FREE, "flat"), "late");
	assert.equal(policyOf("auto", UNKNOWN_PRICES, "local"), "late");
	// A gateway on the user's machine in front of a paid model.
	assert.equal(policyOf("auto", PAID, "local"), "thrift");
	for (const prices of [PAID, FREE, UNKNOWN_PRICES]) assert.equal(policyOf("auto", prices, "no-compaction"), "host");
});

test("the user's own choice wins over everything else", () => {
	for (const policy of SEAL_POLICIES) {
		for (const prices of [PAID, FREE, UNKNOWN_PRICES]) {
			assert.equal(policyOf(policy, prices), policy);
			assert.equal(policyOf(policy, prices, "no-compaction"), policy);
		}
	}
});

test("the limits: half a window by thrift, the user's share, near the limit, none", () => {
	assert.deepEqual(
		SEAL_POLICIES.map((policy) => sealLimit(policy, { window: 200_000 })),
		[100_000, 120_000, 170_000, Number.POSITIVE_INFINITY],
	);
	assert.equal(sealLimit("window", { window: 200_000, share: 30 }), 60_000);
	assert.equal(sealLimit("window", { window: 200_000, share: 100 }), 170_000, "room for the answer stays");
	assert.equal(sealLimit("window", { window: 180_000, fixed: 20_000 }), 100_000, "system and tools fill the share too");
	assert.equal(sealLimit("window", { window: 180_000, fixed: 20_000, share: 10 }), 9_000, "but never all of it");
});

test("no policy seals later than the next one, in any window, and all leave room for an answer but host", () => {
	fc.assert(
		fc.property(fc.integer({ min: 4_000, max: 2_000_000 }), fc.integer({ min: 10, max: 200 }), (window, share) => {
			assert.equal(sealLimit("thrift", { window }), ceilingTokens(window));
			assert.ok(sealLimit("thrift", { window }) <= sealLimit("late", { window }));
			assert.ok(sealLimit("window", { window, share }) <= sealLimit("late", { window }));
			assert.ok(sealLimit("late", { window }) <= window * 0.85);
		}),
	);
});

test("the user hears which policy was chosen for them, and why; a known price needs no word", () => {
	assert.equal(renderAutoPolicy("m", PAID), undefined);
	assert.deepEqual(
		[
			renderAutoPolicy("m", FREE),
			renderAutoPolicy("m", PAID, "flat"),
			renderAutoPolicy("m", UNKNOWN_PRICES, "local"),
			renderAutoPolicy("m", PAID, "no-compaction"),
			renderAutoPolicy("m", UNKNOWN_PRICES),
		],
		[
			"m costs nothing: weft seals near the window's limit (seal: late). The setting seal changes that.",
			"you pay a flat rate for m: weft seals when a share of the window is full (seal: window). The setting seal changes that.",
			"m runs on your machine: weft seals near the window's limit (seal: late). The setting seal changes that.",
			"the agent's own compaction is off: weft seals only when the agent would compact (seal: host). The setting seal changes that.",
			"the price of m is not known. weft assumes that a cached token costs a tenth of a new one: weft seals when keeping more costs more than a seal (seal: thrift). The settings prices and seal change that.",
		],
	);
});
