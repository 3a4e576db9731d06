import assert from "node:assert/strict";
import { test } from "node:test";
import {
	assistant,
	type EventWord,
	event,
	type MessageWord,
	OF,
	type SessionWord,
	user,
} from "../../../test/rig/events.ts";
import { stateAfter } from "../../../test/rig/fold-specification.ts";
import { toPayload } from "../patch/transform.ts";
import { ceilingTokens } from "../seal/rule.ts";
import { recallAfterPatch } from "../session-patches.ts";
import { inOurTokens, realCeiling } from "../sizes.ts";
import {
	cacheLifetime,
	fixedTokens,
	type ReportedState,
	reportedFold,
	reportedPrices,
	tokensPerEstimate,
} from "./reported-fold.ts";

test("a request of ours and the usage of its answer tell real tokens per estimate, and what system and tools weigh", () => {
	const state = fold([request(2_000, 6_000), answer({ input: 10, cacheRead: 9_990, cacheWrite: 6_000 })]);
	assert.equal(tokensPerEstimate(state, OF), 2);
	assert.equal(fixedTokens(state, OF), 4_000);
	// Another model counts by itself until it has answered.
	assert.equal(tokensPerEstimate(state, { ...OF, model: "other" }), 1);
	assert.equal(tokensPerEstimate(state, { ...OF, model: "m" }), 2);
});

test("the newest answers weigh most, and one small answer says nothing", () => {
	assert.equal(tokensPerEstimate(fold([request(20, 80), answer({ input: 900 })]), OF), 1);
	const steady = Array.from({ length: 40 }, () => [request(1_000, 9_000), answer({ input: 12_000 })]).flat();
	const state = fold([request(1_000, 9_000), answer({ input: 40_000 }), ...steady]);
	assert.ok(Math.abs(tokensPerEstimate(state, OF) - 1.2) < 0.02);
});

test("where a request's system prompt and tools are not known, its growth shows how the provider counts", () => {
	const state = fold([
		request(0, 1_000),
		answer({ input: 16_000 }),
		request(0, 11_000),
		answer({ input: 24_000 }),
		// A seal.
		request(0, 5_000),
		answer({ input: 19_000 }),
		request(0, 15_000),
		answer({ input: 27_000 }),
	]);
	assert.equal(tokensPerEstimate(state, OF), 0.8);
	assert.equal(fixedTokens(state, OF), 15_000);
});

test("a session that ran without weft tells by what was added between two prompts; a shorter one begins anew", () => {
	const state = fold([
		said(3_200),
		answer({ input: 21_000 }),
		said(32_000),
		answer({ input: 21_000 + 15_000 }),
		// The host compacted: what is left is no measure.
		answer({ input: 9_000 }),
		said(32_000),
		answer({ input: 9_000 + 15_000 }),
	]);
	assert.ok(Math.abs(tokensPerEstimate(state, OF) - 1.5) < 0.01, String(tokensPerEstimate(state, OF)));
	assert.ok(Math.abs(fixedTokens(state, OF) - 20_000) < 10);
	// Lines of one answer repeat its usage.
	const lines = fold([said(3_200), answer({ input: 5_000 }), answer({ input: 5_000 }), said(32_000)]);
	assert.equal(tokensPerEstimate(lines, OF), 1);
});

test("recalled text that an agent sends as a message of its own is no sign of another tokenizer", () => {
	const recalled = (chars: number) => event("Transform", toPayload(recallAfterPatch("m1", "x".repeat(chars), 1)));
	const turn = (nth: number) => [recalled(9_600), said(3_200), answer({ input: 9_000 + nth * 4_000 })];
	const state = fold([said(3_200), answer({ input: 9_000 }), ...[1, 2, 3, 4].flatMap(turn)]);
	assert.ok(Math.abs(tokensPerEstimate(state, OF) - 1) < 0.05, String(tokensPerEstimate(state, OF)));
});

test("an hour's cache and a host's prices are known from what was written and paid", () => {
	const paid = { input: 1_000, cacheRead: 10_000, cacheWrite: 2_000, cacheWrite1h: 2_000 };
	const state = fold([answer({ ...paid, cost: { input: 0.004, cacheRead: 0.004, cacheWrite: 0.016, total: 0.03 } })]);
	assert.deepEqual([cacheLifetime(state, "pi"), cacheLifetime(state, "claude-code")], [3_600_000, 300_000]);
	assert.deepEqual(reportedPrices(state, "pi", "m"), { input: 4, output: 5, read: 0.1, write: 1.25, writeLong: 2 });
	const free = fold([answer({ ...paid, cost: { input: 0, cacheRead: 0, cacheWrite: 0, total: 0 } })]);
	assert.equal(reportedPrices(free, "pi", "m")?.input, 0);
	assert.equal(reportedPrices(free, "pi", "other"), undefined);
});

test("the ceiling holds for what is sent: real tokens, with the system prompt and the tools", () => {
	const reported = fold([request(2_000, 8_000), answer({ input: 20_000 })]);
	const moment = { path: { session: OF }, state: () => ({ reported }), model: "m" } as unknown as Parameters<
		typeof inOurTokens
	>[0];
	const settings = { mode: "woven", window: 32_000, profile: "balanced" } as const;
	const { window } = inOurTokens(moment, settings);
	assert.equal(window, (32_000 - 4_000) / 2);
	const real = ceilingTokens(window) * 2 + 4_000;
	assert.equal(realCeiling(moment, settings), real);
	assert.ok(real < 32_000);
	assert.equal(inOurTokens(moment, { ...settings, mode: "off" }).window, 32_000);
});

function fold(words: readonly SessionWord[]): ReportedState {
	return stateAfter(reportedFold, ...words);
}

function request(fixed: number, messages: number): EventWord {
	const segment = (name: string, tokens: number) => ({ name, tokens, bytes: tokens * 3, sha256: "" });
	const segments = [segment("tools", fixed / 2), segment("system", fixed / 2), segment("tail", messages)];
	return event("Request", { segments });
}

function answer(usage: object): MessageWord {
	return assistant("", { model: "m", usage });
}

function said(bytes: number): MessageWord {
	return user("x".repeat(bytes));
}
