/**
 * The money that weft saved: the cost of what was sent against the cost of the agent's whole history, request by
 * request. An estimate: both are assumed to be cached as well as their bytes allow, and the whole history never to
 * exceed the model's window. The price of seals is included. Pure.
 */
import { costUnits, dollarsOf, type Prices } from "../base/tokens/prices.ts";

export interface WeighedRequest {
	/** Tokens of the messages that were sent. */
	readonly sent: number;
	/** Tokens of all messages on the path. */
	readonly whole: number;
	/** True: the request does not begin with the bytes of the one before. */
	readonly fresh: boolean;
	readonly window: number;
	readonly prices: Prices;
}

export class Savings {
	#sent = 0;
	#whole = 0;
	#dollars = 0;
	#isAssumed = false;

	/** Tokens that the agent would have sent with the last request. */
	get whole(): number {
		return this.#whole;
	}

	/** May be negative: right after a seal that has not paid off yet. */
	get dollars(): number {
		return this.#dollars;
	}

	/** True: some prices are guesses. */
	get isAssumed(): boolean {
		return this.#isAssumed;
	}

	add({ sent, whole, fresh, window, prices }: WeighedRequest): void {
		const bounded = Math.min(Math.max(whole, sent), window);
		const theirs = price(this.#whole, bounded, prices);
		const ours = price(fresh ? 0 : this.#sent, sent, prices);
		this.#dollars += dollarsOf(theirs - ours, prices);
		this.#isAssumed ||= prices.assumed === true;
		this.#sent = sent;
		this.#whole = bounded;
	}
}

/** The part that was there before is read from the cache, the rest is written to it. */
function price(before: number, now: number, prices: Prices): number {
	const known = before <= now ? before : 0;
	return costUnits({ read: known, write: now - known }, prices);
}
