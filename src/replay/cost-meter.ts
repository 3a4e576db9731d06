/**
 * What a request costs in units of one plain input token. What equals the request before it, message by message from the
 * start, is read from the provider's cache while that is warm; the rest is written to it. A cold cache is written again, whole.
 */
import { costUnits, type Prices } from "../base/tokens/prices.ts";

export interface MeterOptions {
	readonly prices: Prices;
	/** Tokens of the system prompt and the tools, which never change. */
	readonly fixedTokens: number;
	/** How long the provider keeps a request, in ms. */
	readonly cacheLifetime: number;
}

/** A message, as far as a cache is concerned. */
export interface CachedPiece {
	readonly hash: string;
	readonly tokens: number;
}

export interface MeteredRequest {
	/** What a provider may cache, in order. */
	readonly cached: readonly CachedPiece[];
	/** Tokens that are for this request alone. */
	readonly plain: number;
	readonly ts: number;
	/** Tokens that a summariser wrote before it; 0: none was asked. */
	readonly summariserTokens: number;
}

export interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	/** With what a summariser cost before it. */
	readonly units: number;
	/** The cache had run out, or was never filled. */
	readonly cold: boolean;
	/** A message that was sent with the request before is another now, or gone. What is said for one request alone does not count. */
	readonly broke: boolean;
}

/** What a token of output costs, in tokens of plain input. */
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
		let same = 0;
		while (same < cached.length && cached[same]!.hash === this.#last[same]?.hash) same++;
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
