import assert from "node:assert/strict";
import { test } from "node:test";
import { UNKNOWN_PRICES } from "../base/tokens/prices.ts";
import { renderSealNotice, type SealNoticeFacts } from "./seal-notice.ts";

const seal = { left: 40, tokensBefore: 52_000, tokensAfter: 15_000, decision: { why: "asked" } } as Parameters<
	typeof renderSealNotice
>[0];

function notice(held: SealNoticeFacts["held"]): string {
	const facts = { real: (tokens: number) => tokens, search: "weft grep WORDS", model: "m", prices: UNKNOWN_PRICES };
	return renderSealNotice(seal, { ...facts, held });
}

test("says what left, what of the user's words is still there, and how to get the rest back", () => {
	assert.equal(
		notice({ rules: 3, decisions: 1, open: 2 }),
		"sealed (as you asked): 40 messages left the context, 52,000 → 15,000 tokens; still in it: 3 rules, 1 decision, 2 open items. To get them back: weft grep WORDS, or ask the model.",
	);
});

test("names only what there is", () => {
	assert.match(notice({ rules: 0, decisions: 0, open: 1 }), /15,000 tokens; still in it: 1 open item\. To get/);
	assert.match(notice({ rules: 0, decisions: 0, open: 0 }), /15,000 tokens\. To get/);
});
