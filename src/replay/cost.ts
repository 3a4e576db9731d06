/**
 * What a request costs in units of one plain input token. What equals the request before it, byte by byte from the start,
 * is read from the provider's cache while that is warm; the rest is written to it. A cold cache is written anew, whole.
 */
import type { Prices } from "../tokens/prices.ts";

/** By the providers' shortest offer. A read renews it. */
export const CACHE_TTL_MS = 5 * 60_000;

/** One piece of a request: equal key, equal bytes. */
export interface Piece {
	readonly key: string;
	readonly tokens: number;
}

export interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	readonly units: number;
	/** The cache had run out, or was never filled. */
	readonly cold: boolean;
	/** A piece that was sent with the request before is another now, or gone. */
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
		const cold = this.#lastTs === undefined || ts - this.#lastTs > CACHE_TTL_MS;
		let same = 0;
		while (same < pieces.length && same < this.#last.length && pieces[same]!.key === this.#last[same]!.key) same++;
		let read = cold ? 0 : this.#fixed;
		let written = cold ? this.#fixed : 0;
		for (const [index, piece] of pieces.entries()) {
			if (!cold && index < same) read += piece.tokens;
			else written += piece.tokens;
		}
		const broke = same < this.#last.length;
		this.#last = pieces;
		this.#lastTs = ts;
		const units = read * this.#prices.read + written * this.#prices.write;
		return { tokens: read + written, read, written, units, cold, broke };
	}
}
