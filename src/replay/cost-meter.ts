/**
 * The cost of a request in units of one plain input token. The messages that equal those of the request before, from the
 * start, are read from the provider's cache while it is warm; the rest is written. A cold cache is written whole.
 */
import { costUnits, type Prices } from "../base/tokens/prices.ts";

export interface MeterOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and the tools, which never change. */
	readonly fixedTokens: number;
	/** How long the provider caches a request, in ms. */
	readonly cacheLifetime: number;
}

/** A message as a cache sees it. */
export interface CachedPiece {
	readonly hash: string;
	readonly tokens: number;
}

export interface MeteredRequest {
	/** The messages that a provider may cache, in order. */
	readonly cached: readonly CachedPiece[];
	/** Tokens that are only for this request. */
	readonly plain: number;
	readonly ts: number;
	/** Tokens that a summariser wrote before it; 0: none ran. */
	readonly summariserTokens: number;
}

export interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	/** Includes the summariser that ran before it. */
	readonly units: number;
	/** The cache had expired, or was empty. */
	readonly cold: boolean;
	/** A message of the request before has changed or is gone. Messages for one request only do not count. */
	readonly broke: boolean;
}

/** The price of an output token, in plain input tokens. */
export const OUTPUT_PRICE = 5;

export class CostMeter {
	readonly #options: MeterOptions;
	#last: readonly CachedPiece[] = [];
	#lastTs: number | undefined;
	#lastTokens = 0;

	constructor(options: MeterOptions) {
		this.#options = options;
	}

	request({ cached, plain, ts, summariserTokens }: MeteredRequest): RequestCost {
		const { prices, fixedTokens, cacheLifetime } = this.#options;
		const cold = this.#lastTs === undefined || ts - this.#lastTs > cacheLifetime;
		const changed = cached.findIndex(({ hash }, at) => hash !== this.#last[at]?.hash);
		const same = changed < 0 ? cached.length : changed;
		let read = cold ? 0 : fixedTokens;
		let written = cold ? fixedTokens : 0;
		for (const [index, { tokens }] of cached.entries()) {
			if (!cold && index < same) read += tokens;
			else written += tokens;
		}
		const broke = same < this.#last.length;
		// A summariser reads what the request before it had put into the cache.
		const summary = summariserTokens > 0 ? prices.read * this.#lastTokens + OUTPUT_PRICE * summariserTokens : 0;
		const tokens = read + written + plain;
		this.#last = cached;
		this.#lastTs = ts;
		this.#lastTokens = tokens;
		const units = costUnits({ read, write: written, input: plain }, prices) + summary;
		return { tokens, read, written, units, cold, broke };
	}
}
