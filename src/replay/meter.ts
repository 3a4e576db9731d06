/**
 * What a request costs in units of one plain input token. What equals the request before it, byte by byte from the start,
 * is read from the provider's cache while that is warm; the rest is written to it. A cold cache is written again, whole.
 */
import type { Item, Segment } from "../context/envelope/bytes.ts";
import { CACHE_TTL_MS } from "../tokens/assumed.ts";
import { costUnits, type Prices } from "../tokens/prices.ts";

export interface RequestCost {
	readonly tokens: number;
	readonly read: number;
	readonly written: number;
	readonly units: number;
	/** The cache had run out, or was never filled. */
	readonly cold: boolean;
	/** A message that was sent with the request before is another now, or gone. What is said for one request alone does not count. */
	readonly broke: boolean;
}

export class CostMeter {
	readonly #prices: Prices;
	readonly #fixed: number;
	#last: readonly Pick<Item, "hash">[] = [];
	#lastTs: number | undefined;

	/** `fixed`: tokens of the system prompt and the tools, which never change. */
	constructor(prices: Prices, fixed: number) {
		this.#prices = prices;
		this.#fixed = fixed;
	}

	request(segments: readonly Pick<Segment, "name" | "tokens" | "items">[], ts: number): RequestCost {
		const cold = this.#lastTs === undefined || ts - this.#lastTs > CACHE_TTL_MS;
		const items = segments.flatMap((segment) => (segment.name === "uncached" ? [] : segment.items));
		const plain = segments.find(({ name }) => name === "uncached")?.tokens ?? 0;
		let same = 0;
		while (same < items.length && items[same]!.hash === this.#last[same]?.hash) same++;
		let read = cold ? 0 : this.#fixed;
		let written = cold ? this.#fixed : 0;
		for (const [index, { tokens }] of items.entries()) {
			if (!cold && index < same) read += tokens;
			else written += tokens;
		}
		const broke = same < this.#last.length;
		this.#last = items;
		this.#lastTs = ts;
		const units = costUnits({ read, write: written, input: plain }, this.#prices);
		return { tokens: read + written + plain, read, written, units, cold, broke };
	}
}
