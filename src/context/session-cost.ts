/**
 * What sessions cost: the one sum behind `weft sessions`, `cost`, `cache`, `replay`, the status lines and the inspector. A
 * request costs what its agent computed, or else its tokens, output included, at the prices of its model on that day.
 */
import { costUnits, dollarsOf, type PriceList, type Prices, pricesOf } from "../base/tokens/prices.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { readUsage, type UsageRow } from "../state/session/usage-fold.ts";

export interface CostSums {
	readonly requests: number;
	/** Requests that came back without usage: their tokens are in no sum. */
	readonly unreported: number;
	/** Tokens that were neither read from the provider's cache nor written to it. */
	readonly input: number;
	readonly cacheRead: number;
	readonly cacheWrite: number;
	readonly output: number;
	/** The part of the output that was thinking, where agents report it. */
	readonly reasoning: number;
	/** Tokens reported to agents beyond real usage, to make them compact. They are in no other sum. */
	readonly raised: number;
	/** As the agents computed it; at list prices for requests that they did not price. Output is always part of it. */
	readonly dollars: number;
	/** True: some of it is our estimate. */
	readonly estimated: boolean;
	/** True: some of that is a guess, because no list has the model. */
	readonly assumed: boolean;
}

/** Model calls, with the prices of the settings where they were made. */
export interface PricedUsage extends UsageRow {
	readonly prices?: PriceList | undefined;
}

/** `prices`: from the settings. */
export function costOfSession(log: Log, session: SessionRef, prices: PriceList = {}): CostSums {
	return sumUsage(readUsage(log, { session, prices }).map((row) => ({ ...row, prices })));
}

/** The sums of some rows, at the prices of their models. */
export function sumUsage(rows: readonly PricedUsage[]): CostSums {
	const sums = { ...NO_COST };
	for (const row of rows) {
		sums.requests += row.requests;
		sums.unreported += row.unreported;
		sums.input += row.input;
		sums.cacheRead += row.cache_read;
		sums.cacheWrite += row.cache_write;
		sums.output += row.output;
		sums.reasoning += row.reasoning;
		sums.raised += row.raised;
		sums.dollars += row.cost ?? dollarsOfRow(row);
		sums.estimated ||= row.cost === null;
		sums.assumed ||= isAssumed(row);
	}
	return sums;
}

export const NO_COST: CostSums = {
	requests: 0,
	unreported: 0,
	input: 0,
	cacheRead: 0,
	cacheWrite: 0,
	output: 0,
	reasoning: 0,
	raised: 0,
	dollars: 0,
	estimated: false,
	assumed: false,
};

/** No agent priced these calls, and no list has their model. */
export function isAssumed(row: PricedUsage): boolean {
	return row.cost === null && row.requests > row.unreported && pricesFor(row).assumed === true;
}

const HOUR_MS = 3_600_000;

function pricesFor({ model, prices, hour }: PricedUsage): Prices {
	return pricesOf(model === "" ? undefined : model, { listed: prices, at: hour * HOUR_MS });
}

/** All prompts of a row are on the same side of every step. */
function dollarsOfRow(row: PricedUsage): number {
	const prices = pricesFor(row);
	const { input, output, cache_read: read, cache_write: write, cache_write_long: writeLong } = row;
	return dollarsOf(costUnits({ input, output, read, write, writeLong }, prices, row.above + 1), prices);
}
