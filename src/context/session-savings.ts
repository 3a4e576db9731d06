/**
 * The savings of a session, from its requests in the log, those before a resume included. The first question reads the
 * session, later ones only new events.
 */
import { partitionPoint } from "../base/collection/sorted.ts";
import { costUnits, dollarsOf, type Prices } from "../base/tokens/prices.ts";
import { isA, type Payload } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { isMessage, type Tree } from "../state/session/tree.ts";

/** The prices of a model when a request was made, ms since the epoch. */
type PricesAt = (model: string | undefined, at: number) => Prices;

interface SavedBy {
	/** Tokens of the messages that the agent alone would have sent. */
	readonly whole: number;
	/** Less than nothing: a seal was paid. */
	readonly dollars: number;
}

export class SessionSavings {
	readonly #log: Log;
	readonly #path: PathWeight;
	readonly #session: SessionRef;
	readonly #savings = new Savings();
	readonly #pricesOf: PricesAt;
	/** By seq of the Request event. */
	readonly #steps = new Map<number, SavedBy>();
	#request = 0;

	constructor(log: Log, tree: Tree, session: SessionRef, prices: PricesAt) {
		this.#log = log;
		this.#pricesOf = prices;
		this.#path = new PathWeight(tree);
		this.#session = session;
	}

	get isAssumed(): boolean {
		return this.#savings.isAssumed;
	}

	/** The savings of one request; undefined: it has not been counted. */
	step(request: number): SavedBy | undefined {
		return this.#steps.get(request);
	}

	/** `leaf`: the agent's newest entry; `window`: the model's, in tokens. */
	dollars(leaf: number | undefined, window: number): number {
		this.#path.follow(leaf);
		for (const record of this.#log.read({ ...this.#session, types: ["Request"], after: this.#request })) {
			this.#request = record.seq;
			if (!isA(record, "Request")) continue;
			const { difference, model } = record.payload;
			const { sent, shortened, fixed } = sizeOf(record.payload);
			const before = this.#savings.dollars;
			this.#savings.add({
				sent,
				// Until a message has left, ours is the whole history: two ways of counting must not look like savings.
				whole: shortened ? this.#path.tokensBefore(record.seq) : sent,
				fresh: difference !== null,
				fixed,
				window,
				prices: this.#pricesOf(model, record.ts),
			});
			this.#steps.set(record.seq, { whole: this.#savings.whole, dollars: this.#savings.dollars - before });
		}
		return this.#savings.dollars;
	}
}

function sizeOf({ segments }: Payload<"Request">) {
	const of = (wanted: string): number => segments.find(({ name }) => name === wanted)?.tokens ?? 0;
	const sent = of("seed") + of("tail") + of("uncached");
	const all = segments.reduce((sum, { tokens }) => sum + tokens, 0);
	return { sent, shortened: of("seed") > 0, fixed: all - sent };
}

/** Tokens of the messages from the root to an entry, for every entry on the way to the leaf. */
class PathWeight {
	readonly #tree: Tree;
	/** Oldest first; `total` includes the entry. */
	#steps: { readonly seq: number; readonly total: number }[] = [];

	constructor(tree: Tree) {
		this.#tree = tree;
	}

	follow(leaf: number | undefined): void {
		if (leaf === undefined) return;
		this.#tree.catchUp();
		const last = this.#steps.at(-1)?.seq;
		const fresh: { readonly seq: number; readonly tokens: number }[] = [];
		let joined = false;
		for (const entry of this.#tree.upward(leaf)) {
			joined = entry.seq === last;
			if (joined) break;
			fresh.push({ seq: entry.seq, tokens: isMessage(entry) ? entry.tokens : 0 });
		}
		// Another branch: weigh it from its root.
		if (!joined) this.#steps = [];
		let total = this.#steps.at(-1)?.total ?? 0;
		for (const { seq, tokens } of fresh.reverse()) {
			total += tokens;
			this.#steps.push({ seq, total });
		}
	}

	tokensBefore(seq: number): number {
		return this.#steps[partitionPoint(this.#steps, (step) => step.seq < seq) - 1]?.total ?? 0;
	}
}

export interface WeighedRequest {
	/** Tokens of the messages that were sent. */
	readonly sent: number;
	/** Tokens of all messages on the path. */
	readonly whole: number;
	/** Tokens of the system prompt and the tools, the same either way. They count where longer prompts cost more a token. */
	readonly fixed: number;
	/** True: the request does not begin with the bytes of the one before. */
	readonly fresh: boolean;
	readonly window: number;
	readonly prices: Prices;
}

/**
 * The money that weft saved: the cost of what was sent against the cost of the agent's whole history, request by
 * request. An estimate: both are assumed to be cached as well as their bytes allow, and the whole history never to
 * exceed the model's window. The price of seals is included. Pure.
 */
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

	add({ sent, whole, fixed, fresh, window, prices }: WeighedRequest): void {
		const bounded = Math.min(Math.max(whole, sent), window);
		const theirs = price(this.#whole, bounded, fixed, prices);
		const ours = price(fresh ? 0 : this.#sent, sent, fixed, prices);
		this.#dollars += dollarsOf(theirs - ours, prices);
		this.#isAssumed ||= prices.assumed === true;
		this.#sent = sent;
		this.#whole = bounded;
	}
}

/** The part that was there before is read from the cache, the rest is written to it. */
function price(before: number, now: number, fixed: number, prices: Prices): number {
	const known = before <= now ? before : 0;
	return costUnits({ read: fixed + known, write: now - known }, prices);
}
