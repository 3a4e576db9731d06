import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { GramFilter } from "./demands.ts";

test("the filter never denies what was added", () => {
	const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 });
	fc.assert(
		fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(), fc.nat(), (texts, from, length) => {
			const filter = new GramFilter();
			for (const text of texts) filter.add(text);
			const text = texts[from % texts.length]!;
			assert.ok(filter.mayHold(text.slice(from % text.length, (from % text.length) + length)));
		}),
		{ numRuns: 30 },
	);
});

test("the filter denies most texts that were never added", () => {
	const filter = new GramFilter();
	filter.add("function openLedger(path: string): Ledger { return new Ledger(path); }");
	assert.equal(filter.mayHold("closeParcel"), false);
	assert.equal(filter.mayHold("openLedger"), true);
});
