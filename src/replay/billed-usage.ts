/** The usage that the provider really billed, as recorded, and the cache misses that it shows. */
import { CACHE_TTL_MS, type Prices } from "../base/tokens/prices.ts";
import type { CostSums } from "../context/session-cost.ts";
import { NO_USAGE, promptTokens, unitsOfUsage } from "../message/usage.ts";
import type { ModelCall } from "./recording.ts";

export interface BilledUsage {
	/** Calls with a recorded usage. */
	readonly requests: number;
	readonly meanTokens: number;
	readonly maxTokens: number;
	/** The billed prompts at the same prices as the modes. */
	readonly costUnits: number;
	/** The cost of the sessions, output included, as `weft sessions` has it. */
	readonly costDollars: number;
	/** Some of it is at list prices, because the agent gave none. */
	readonly estimated: boolean;
	/** Some of that is a guess, because no list has the model. */
	readonly assumed: boolean;
	readonly hitShare: number;
	/** Requests that read much less from the cache than the request before had put there. */
	readonly misses: { readonly warm: number; readonly cold: number; readonly tokens: number };
	/** By index of the call; null: not recorded. */
	readonly perRequest: readonly (number | null)[];
}

/** Providers cache in blocks, and some leave the newest ones out. */
const SLACK_TOKENS = 2_048;
const SLACK_SHARE = 0.1;

interface BilledOptions {
	readonly prices: Prices;
	readonly cost: Pick<CostSums, "dollars" | "estimated" | "assumed">;
	readonly cacheLifetime?: number | undefined;
}

export function countBilledUsage(
	calls: readonly Pick<ModelCall, "answer">[],
	{ prices, cost, cacheLifetime = CACHE_TTL_MS }: BilledOptions,
): BilledUsage {
	const totals = { prompt: 0, read: 0, units: 0, max: 0 };
	const misses = { warm: 0, cold: 0, tokens: 0 };
	const perRequest: (number | null)[] = [];
	let last: { readonly prompt: number; readonly ts: number } | undefined;
	for (const call of calls) {
		const usage = call.answer.usage ?? NO_USAGE;
		const { cacheRead } = usage;
		const prompt = promptTokens(usage);
		perRequest.push(prompt > 0 ? prompt : null);
		if (prompt === 0) continue;
		totals.prompt += prompt;
		totals.read += cacheRead;
		totals.max = Math.max(totals.max, prompt);
		totals.units += unitsOfUsage({ ...usage, output: 0 }, prices);
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
		costDollars: cost.dollars,
		estimated: cost.estimated,
		assumed: cost.assumed,
		hitShare: totals.prompt === 0 ? 0 : totals.read / totals.prompt,
		misses,
		perRequest,
	};
}
