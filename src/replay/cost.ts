/**
 * What a request costs in units of one plain input token. What equals the request before it, byte by byte from the start,
 * is read from the provider's cache while that is warm; the rest is written to it. Text that is not to be cached (the last
 * remark) is plain input.
 */
import type { Prices } from "../tokens/prices.ts";

export const CACHE_TTL_MS = 5 * 60_000;

/** One piece of a request: equal key, equal bytes. */
export interface Piece {
	readonly key: string;
	readonly tokens: number;
	/** False: not written to the cache. */
	readonly cached: boolean;
}

export interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	readonly plain: number;
	readonly units: number;
	/** The cache was warm, and yet a piece that had been sent before changed. */
	readonly broke: boolean;
}

export class CostMeter {
	readonly #prices: Prices;
	readonly #fixed: number;
	#last: readonly Piece[] = [];
	#lastTs: number | undefined;

	/** `fixed`: tokens of the system prompt and the tools, which never change. */
	constructor(prices: Prices, fixed: number) {
		this.#prices = prices;
		this.#fixed = fixed;
	}

	request(pieces: readonly Piece[], ts: number): RequestCost {
		const warm = this.#lastTs !== undefined && ts - this.#lastTs <= CACHE_TTL_MS;
		let same = 0;
		while (same < pieces.length && same < this.#last.length && pieces[same]!.key === this.#last[same]!.key) same++;
		let read = warm ? this.#fixed : 0;
		let written = warm ? 0 : this.#fixed;
		let plain = 0;
		for (const [index, piece] of pieces.entries()) {
			if (!piece.cached) plain += piece.tokens;
			else if (warm && index < same) read += piece.tokens;
			else written += piece.tokens;
		}
		const broke = warm && this.#last.slice(same).some((piece) => piece.cached);
		this.#last = pieces;
		this.#lastTs = ts;
		const units = read * this.#prices.read + written * this.#prices.write + plain;
		return { tokens: read + written + plain, read, written, plain, units, broke };
	}
}
