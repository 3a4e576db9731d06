/**
 * Which bytes the next request opens with: a seed and the raw messages from some message on. Inside an epoch neither
 * changes; a seal replaces both. Knows messages only by id, role and size; rendering is handed in.
 */
import { type CutMessage, keepNewest } from "../../message/turns.ts";
import type { Prices } from "../../tokens/prices.ts";
import type { Seed } from "../section/seed/seed.ts";
import { ceilingTokens, decideSeal, keptTokens, type Profile, type SealDecision, seedBudget } from "./seal-rule.ts";

export interface EpochMessage extends CutMessage {
	readonly id: string;
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

export interface NextOptions {
	/** The provider has forgotten the request before. */
	readonly cold: boolean;
	/** Somebody asks for a seal: it is made whenever anything can leave. */
	readonly force?: boolean;
	/** The most that the seed may have this time, where a request must become smaller whatever it costs. */
	readonly seedTokens?: number;
	/** `from` of the seal that a host says is in force on this path, null: none. Without it the path alone tells. */
	readonly standing?: string | null;
}

interface Current {
	readonly seal: Seal | undefined;
	readonly first: number;
	readonly tokens: number;
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
		options: NextOptions,
		render: (first: number, budget: number) => Seed,
	): EpochPlan {
		const { current, decision, first } = this.#plan(messages, options);
		this.#requests = current.seal?.from === this.#lastFrom ? this.#requests + 1 : 1;
		this.#regret = decision.regret;
		this.#lastFrom = current.seal?.from;
		if (first <= current.first) return { ...current, fresh: false, decision };
		const budget = seedBudget(this.#options.profile, this.#options.window);
		const seed = render(first, Math.min(budget, options.seedTokens ?? budget));
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

	/** Index of the first message that would stay if `next` were asked now; undefined: it would not seal. Changes nothing. */
	wouldSeal(messages: readonly EpochMessage[], options: NextOptions): number | undefined {
		const { current, first } = this.#plan(messages, options);
		return first > current.first ? first : undefined;
	}

	#plan(messages: readonly EpochMessage[], options: NextOptions) {
		const current = this.#current(messages, options.standing);
		const decided = this.#decide(messages, current, options.cold);
		const decision: SealDecision = options.force && !decided.seal ? { ...decided, seal: true, why: "asked" } : decided;
		if (!decision.seal) return { current, decision, first: current.first };
		const first = keepNewest(messages, { limit: keptTokens(this.#options.window), least: current.first });
		// Who asks wants less, however little there is: then the newest turn alone stays.
		const least =
			options.force && first <= current.first ? keepNewest(messages, { limit: 0, least: current.first }) : first;
		return { current, decision, first: least };
	}

	/** The newest seal whose first raw message is on this path: after a jump to another branch, an older one or none. */
	#current(messages: readonly EpochMessage[], standing: string | null | undefined): Current {
		for (const seal of this.#seals.toReversed()) {
			if (standing !== undefined && seal.from !== standing) continue;
			const first = messages.findLastIndex((message) => message.id === seal.from);
			if (first >= 0) return { seal, first, tokens: seal.seed.tokens + sumTokens(messages, first) };
		}
		return { seal: undefined, first: 0, tokens: sumTokens(messages, 0) };
	}

	#decide(messages: readonly EpochMessage[], current: Current, cold: boolean): SealDecision {
		const { profile, window, prices, hidden } = this.#options;
		const same = current.seal?.from === this.#lastFrom;
		const kept = sumTokens(messages, keepNewest(messages, { limit: keptTokens(window), least: current.first }));
		const seed = Math.min(seedBudget(profile, window), current.seal?.seed.tokens ?? Math.ceil(current.tokens * 0.6));
		const start = current.seal?.tokensAfter ?? 0;
		return decideSeal({
			context: current.tokens,
			after: seed + kept,
			growth: (current.tokens - start) / Math.max(1, same ? this.#requests : 0),
			regret: same ? this.#regret : 0,
			prices,
			hidden,
			ceiling: ceilingTokens(window),
			cold,
		});
	}
}

function sumTokens(messages: readonly EpochMessage[], from: number): number {
	let sum = 0;
	for (let at = from; at < messages.length; at++) sum += messages[at]!.tokens;
	return sum;
}
