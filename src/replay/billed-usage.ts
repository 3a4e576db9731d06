/** The usage that the provider really billed, as recorded, and the cache misses that it shows. */
import { CACHE_TTL_MS, costUnits, dollarsOf, type Prices } from "../base/tokens/prices.ts";
import type { ModelCall } from "./recording.ts";

export interface BilledUsage {
	/** Calls with a recorded usage. */
	readonly requests: number;
	readonly meanTokens: number;
	readonly maxTokens: number;
	/** The billed input at the same prices as the modes; output does not count. */
	readonly costUnits: number;
	readonly costDollars: number;
	/** As the host computed it, with output; null: the recording has no cost. */
	readonly recordedDollars: number | null;
	readonly hitShare: number;
	/** Requests that read much less from the cache than the request before had put there. */
	readonly misses: { readonly warm: number; readonly cold: number; readonly tokens: number };
	/** By index of the call; null: not recorded. */
	readonly perRequest: readonly (number | null)[];
}

/** Providers cache in blocks, and some leave the newest ones out. */
const SLACK_TOKENS = 2_048;
const SLACK_SHARE = 0.1;

export function countBilledUsage(
	calls: readonly Pick<ModelCall, "answer">[],
	prices: Prices,
	cacheLifetime = CACHE_TTL_MS,
): BilledUsage {
	const totals = { prompt: 0, read: 0, units: 0, dollars: 0, priced: 0, max: 0 };
	const misses = { warm: 0, cold: 0, tokens: 0 };
	const perRequest: (number | null)[] = [];
	let last: { readonly prompt: number; readonly ts: number } | undefined;
	for (const call of calls) {
		const { input = 0, cacheRead = 0, cacheWrite = 0, cacheWriteLong, cost } = call.answer.usage ?? {};
		const prompt = input + cacheRead + cacheWrite;
		perRequest.push(prompt > 0 ? prompt : null);
		if (prompt === 0) continue;
		totals.prompt += prompt;
		totals.read += cacheRead;
		totals.max = Math.max(totals.max, prompt);
		totals.units += costUnits({ read: cacheRead, write: cacheWrite, writeLong: cacheWriteLong, input }, prices);
		if (cost !== undefined && cost > 0) {
			totals.dollars += cost;
			totals.priced++;
		}
		// A shorter prompt was cut by a compaction or a jump: the rest of the one before is no loss.
		const expected = last ? Math.min(last.prompt, prompt) : 0;
		const missed = expected - cacheRead;
		if (last && missed > SLACK_TOKENS + expected * SLACK_SHARE) {
			misses[call.answer.ts - last.ts > cacheLifetime ? "cold" : "warm"]++;
			misses.tokens += missed;
		}
		last = { prompt, ts: call.answer.ts };
	}
	const requests = perRequest.filter((tokens) => tokens !== null).length;
	return {
		requests,
		meanTokens: Math.round(totals.prompt / Math.max(1, requests)),
		maxTokens: totals.max,
		costUnits: Math.round(totals.units),
		costDollars: dollarsOf(totals.units, prices),
		recordedDollars: totals.priced > 0 ? totals.dollars : null,
		hitShare: totals.prompt === 0 ? 0 : totals.read / totals.prompt,
		misses,
		perRequest,
	};
}
