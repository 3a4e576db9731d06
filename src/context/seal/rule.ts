/**
 * When to seal: computed, not configured. Every request pays for text that a seal would drop; the payments add up to a
 * regret, and the seal comes when the regret reaches the price of sealing. For steady growth that is the optimum, and it
 * needs no horizon and no threshold per model (the rent-or-buy rule). Pure: numbers in, a decision with its arithmetic
 * out.
 */
import type { Prices } from "../../base/tokens/prices.ts";
import type { GivenPayload } from "../../log/event/types.ts";
import type { PlannedSeal } from "../plan.ts";

/** The cost of a seal beyond tokens: what the agent reads again. A guess until it is learnt. */
export const HIDDEN_PRICE_TOKENS = 20_000;
/** The same for talk: what was said stands in no file that could be read again. */
export const HIDDEN_TALK_PRICE_TOKENS = 100_000;

/** Tokens after a seal: the seed, and the newest turns that stay raw. Less costs less and holds less. */
export const PROFILES = {
	thrifty: { seed: 8_500, kept: 3_000 },
	balanced: { seed: 13_500, kept: 4_000 },
	roomy: { seed: 16_500, kept: 6_000 },
	full: { seed: 26_000, kept: 8_000 },
} as const;
export type Profile = keyof typeof PROFILES;

/** Smaller in a small window, or the next seal would come at once. */
const SEED_SHARE = 0.16;
const KEPT_SHARE = 0.1;
/** A very small window gives more of itself, or it would stay empty after a seal. */
const [SMALL_SEED_SHARE, SMALL_SEED_TOKENS] = [0.28, 6_000];
const [SMALL_KEPT_SHARE, SMALL_KEPT_TOKENS] = [0.2, 3_000];
/** A small window is used up to this share, within the limit below. */
const SMALL_CEILING_SHARE = 0.75;
const SMALL_CEILING_TOKENS = 48_000;
const MAX_CEILING_TOKENS = 100_000;
const MAX_LEAVING_TOKENS = 20_000;
const COLD_LEAVING_TOKENS = 8_000;

export interface SealFigures {
	/** Tokens of the messages of the next request: seed and tail, without system and tools. */
	readonly context: number;
	/** Tokens after a seal now: the seed and the kept turns. */
	readonly after: number;
	/** Recent growth per request in tokens, on average. */
	readonly growth: number;
	/** The cost so far in this epoch of keeping more than that. */
	readonly regret: number;
	readonly prices: Prices;
	readonly hidden: number;
	readonly ceiling: number;
	/** The provider's cache has expired: everything is written again, sealed or not. */
	readonly cold: boolean;
	/** How many times the price the regret must reach: more than once at a bad moment. */
	readonly patience: number;
}

export type SealReason =
	| "regret"
	| "ceiling"
	/** The share of the window that the user set is full. */
	| "share"
	| "cold-cache"
	/** A person asked for it. */
	| "asked"
	/** The agent wanted to compact: its threshold was reached, or a request was too large. */
	| "host-threshold"
	| "overflow"
	/** A run began, or every request is computed (`warp`). */
	| "run"
	| "request"
	/** A fixed threshold in place of the rule (replay's sweep). */
	| "threshold"
	| "too-early"
	| "not-worth-it"
	| "not-asked"
	| "off";

export interface SealDecision {
	readonly seal: boolean;
	readonly why: SealReason;
	/** The regret including this request's share. */
	readonly regret: number;
	/** The regret at which it would seal. */
	readonly price: number;
	/** The least that must leave. */
	readonly floor: number;
}

export function decideSeal(input: SealFigures): SealDecision {
	const { read, write } = input.prices;
	const leaving = Math.max(0, input.context - input.after);
	const regret = input.regret + read * leaving;
	const rewrite = Math.max(0, write - read) * input.after;
	// On a cold cache a seal costs no money: it saves writing the text that leaves. What it hides still has its price.
	const price = input.cold ? Math.max(0, input.hidden - write * leaving) : (rewrite + input.hidden) * input.patience;
	const floor = input.cold
		? COLD_LEAVING_TOKENS
		: Math.min(MAX_LEAVING_TOKENS, Math.sqrt((2 * rewrite * Math.max(1, input.growth)) / Math.max(read, 0.01)));
	const decided = { regret, price, floor };
	if (input.context >= input.ceiling && leaving > 0) return { seal: true, why: "ceiling", ...decided };
	if (leaving < floor) return { seal: false, why: "too-early", ...decided };
	if (regret < price) return { seal: false, why: "not-worth-it", ...decided };
	return { seal: true, why: input.cold ? "cold-cache" : "regret", ...decided };
}

/**
 * The hard limit of a request's messages: half the window, at most 100,000 tokens; three quarters of a small window.
 */
export function ceilingTokens(window: number): number {
	const small = Math.min(Math.floor(window * SMALL_CEILING_SHARE), SMALL_CEILING_TOKENS);
	return Math.max(small, Math.min(Math.floor(window / 2), MAX_CEILING_TOKENS));
}

/** The most that stays raw after a seal; the newest turn always stays. */
export function keptTokens(profile: Profile, window: number): number {
	const small = Math.min(window * SMALL_KEPT_SHARE, SMALL_KEPT_TOKENS);
	return Math.min(PROFILES[profile].kept, Math.floor(Math.max(window * KEPT_SHARE, small)));
}

/** The most a seed may have. */
export function seedBudget(profile: Profile, window: number): number {
	const small = Math.min(window * SMALL_SEED_SHARE, SMALL_SEED_TOKENS);
	return Math.min(PROFILES[profile].seed, Math.floor(Math.max(window * SEED_SHARE, small)));
}

/**
 * The account of a seal: why it was made, at what price, what left and what the seed holds.
 * `transform`: the entry of the Transform with the seal; undefined where the agent compacts in its own words and the
 * seed follows.
 */
export function sealAccount(seal: PlannedSeal, mode: string, transform?: string): GivenPayload<"Seal"> {
	const { from, decision, tokensBefore, tokensAfter, left, seed } = seal;
	const { why, regret, price, floor } = decision;
	return {
		from: from ?? "",
		why,
		mode,
		transform,
		arithmetic: { regret, price, floor },
		tokensBefore,
		tokensAfter,
		left,
		sections: seed.sections.map(({ handle, ...section }) => ({ ...section, ...(handle !== undefined && { handle }) })),
	};
}

/** Why something was sealed, for a person. */
const WORDS: Partial<Readonly<Record<SealReason, string>>> = {
	asked: "as you asked",
	"host-threshold": "the host's own limit is reached",
	overflow: "the request was too large",
	"cold-cache": "the cache is cold",
	ceiling: "the context is at its limit",
	share: "your share of the window is full",
	regret: "keeping more costs more",
	run: "a run began",
};

export function renderSealReason(why: string): string {
	return WORDS[why as SealReason] ?? why;
}

/** `sealed: ceiling`, as a request's reasons have it. */
export function renderReason(reason: string): string {
	const [, what, why] = /^(\w+): ([\w-]+)$/.exec(reason) ?? [];
	return what === undefined || why === undefined ? reason : `${what} (${renderSealReason(why)})`;
}
