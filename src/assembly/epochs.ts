/**
 * Which bytes the next request opens with: a seed and the raw messages from some message on. Inside an epoch neither
 * changes; a seal replaces both. Knows messages only by id, role and size; rendering is handed in.
 */
import type { Prices } from "../tokens/prices.ts";
import { ceilingTokens, decideSeal, KEPT_TOKENS, type Profile, type SealDecision, seedBudget } from "./seal-rule.ts";
import type { Seed } from "./seed/seed.ts";

export interface EpochMessage {
	readonly id: string;
	/** user, assistant, toolResult, … */
	readonly role: string;
	readonly tokens: number;
}

/** A seal: from now on the seed stands for everything before the message `from`. */
export interface Seal {
	readonly seed: Seed;
	/** Id of the first message that stays raw. */
	readonly from: string;
	readonly decision: SealDecision;
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	/** Messages that left with this seal. */
	readonly left: number;
}

export interface EpochPlan {
	/** undefined: nothing has been sealed on this path yet. */
	readonly seal: Seal | undefined;
	/** Index of the first raw message. */
	readonly first: number;
	readonly tokens: number;
	/** True: the seal was made just now. */
	readonly fresh: boolean;
	readonly decision: SealDecision;
}

export interface EpochOptions {
	readonly prices: Prices;
	readonly profile: Profile;
	readonly window: number;
	/** The hidden price of a seal, in tokens. */
	readonly hidden: number;
	/** Seals of this session so far, oldest first. */
	readonly seals?: readonly Seal[];
}

export class Epochs {
	readonly #options: EpochOptions;
	readonly #seals: Seal[];
	#regret = 0;
	#requests = 0;
	/** The newest raw message of the request before: a path that does not hold it is another branch. */
	#lastFrom: string | undefined;

	constructor(options: EpochOptions) {
		this.#options = options;
		this.#seals = [...(options.seals ?? [])];
	}

	get seals(): readonly Seal[] {
		return this.#seals;
	}

	/**
	 * Before a request. `messages` are those of the active path, closed: every call has its result. `render` makes the seed
	 * for what stands before the message with that index.
	 */
	next(
		messages: readonly EpochMessage[],
		options: { readonly cold: boolean },
		render: (first: number, budget: number) => Seed,
	): EpochPlan {
		const current = this.#current(messages);
		if (current.seal?.from !== this.#lastFrom) {
			this.#regret = 0;
			this.#requests = 0;
		}
		const decision = this.#decide(messages, current, options.cold);
		this.#regret = decision.regret;
		this.#requests++;
		this.#lastFrom = current.seal?.from;
		const first = decision.seal ? keepFrom(messages, current.first) : current.first;
		if (first <= current.first) return { ...current, fresh: false, decision };
		const seed = render(first, seedBudget(this.#options.profile, this.#options.window));
		const after = seed.tokens + sumTokens(messages, first);
		const from = messages[first]!.id;
		const sizes = { tokensBefore: current.tokens, tokensAfter: after, left: first - current.first };
		const seal: Seal = { seed, from, decision, ...sizes };
		this.#seals.push(seal);
		this.#regret = 0;
		this.#requests = 0;
		this.#lastFrom = from;
		return { seal, first, tokens: after, fresh: true, decision };
	}

	/** The newest seal whose first raw message is on this path: after a jump to another branch, an older one or none. */
	#current(messages: readonly EpochMessage[]): { seal: Seal | undefined; first: number; tokens: number } {
		for (const seal of this.#seals.toReversed()) {
			const first = messages.findLastIndex((message) => message.id === seal.from);
			if (first >= 0) return { seal, first, tokens: seal.seed.tokens + sumTokens(messages, first) };
		}
		return { seal: undefined, first: 0, tokens: sumTokens(messages, 0) };
	}

	#decide(
		messages: readonly EpochMessage[],
		current: { readonly seal: Seal | undefined; readonly first: number; readonly tokens: number },
		cold: boolean,
	): SealDecision {
		const { profile, window, prices, hidden } = this.#options;
		const kept = sumTokens(messages, keepFrom(messages, current.first));
		const seed = Math.min(seedBudget(profile, window), current.seal?.seed.tokens ?? Math.ceil(current.tokens * 0.6));
		const start = current.seal?.tokensAfter ?? 0;
		return decideSeal({
			context: current.tokens,
			after: seed + kept,
			growth: (current.tokens - start) / Math.max(1, this.#requests),
			regret: this.#regret,
			prices,
			hidden,
			ceiling: ceilingTokens(window),
			cold,
		});
	}
}

/**
 * The first message to keep: the newest turns within the limit, the newest one whole. A cut stands only before a user
 * message or an answer, never between an answer and its results.
 */
export function keepFrom(messages: readonly EpochMessage[], least: number): number {
	let tokens = 0;
	let first = messages.length;
	for (let at = messages.length - 1; at >= least; at--) {
		tokens += messages[at]!.tokens;
		const isCut = messages[at]!.role !== "toolResult";
		if (first < messages.length && tokens > KEPT_TOKENS) break;
		if (isCut) first = at;
	}
	return first === messages.length ? least : first;
}

function sumTokens(messages: readonly EpochMessage[], from: number): number {
	let sum = 0;
	for (let at = from; at < messages.length; at++) sum += messages[at]!.tokens;
	return sum;
}
