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
const HIDDEN_PRICE_TOKENS = 20_000;
/** The same for talk: no file has what was said, so it cannot be read again. */
export const HIDDEN_TALK_PRICE_TOKENS = 100_000;

/**
 * By the price of a token from the cache. The cheaper it is, the more text the same money carries (`size`, of the profile's
 * tokens), and the less it costs to read again what a seal hid (`hidden`, of the guess). The sizes are measured on recorded
 * sessions: more would hold a little more and cost a good part of the saving.
 */
const PRICE_CLASSES = [
	// Without a cache every request pays for the whole text again.
	{ minRead: 0.3, size: 0.7, hidden: 1 },
	{ minRead: 0.075, size: 1, hidden: 1 },
	{ minRead: 0.0375, size: 1, hidden: 0.7 },
	{ minRead: Number.MIN_VALUE, size: 1.25, hidden: 0.5 },
	// A list that says 0 does not know the price of reading.
	{ minRead: 0, size: 1, hidden: 1 },
] as const;

function classOf(read: number): (typeof PRICE_CLASSES)[number] {
	return PRICE_CLASSES.find(({ minRead }) => read >= minRead) ?? PRICE_CLASSES[0];
}

/** What a seal hides, until it is learnt: tokens of plain input. `read`: the price of a token from the cache. */
export function hiddenGuess(read: number): number {
	return HIDDEN_PRICE_TOKENS * classOf(read).hidden;
}

/** The part of a seed that shows files. */
const SEED_FILES_SHARE = 0.5;

/**
 * The cost of hiding text that the agent has read and not yet worked on: what the seed has no room for. It is written again,
 * and each edit that fails for lack of it costs a request more. In recorded sessions that is several times the writing:
 * with the writing alone, a seal between reading and editing made a quarter of all missing old texts.
 */
export function readingPrice(tokens: number, seed: number, { write }: Pick<Prices, "write">): number {
	return READING_TIMES * write * Math.max(0, tokens - seed * SEED_FILES_SHARE);
}

const READING_TIMES = 4;

/**
 * Tokens after a seal where a token from the cache costs a tenth: the seed, and the newest turns that stay raw. Less costs
 * less and holds less.
 */
export const PROFILES = {
	thrifty: { seed: 7_000, kept: 2_500 },
	balanced: { seed: 11_000, kept: 4_000 },
	roomy: { seed: 16_500, kept: 6_000 },
	full: { seed: 26_000, kept: 8_000 },
} as const;
export type Profile = keyof typeof PROFILES;

/** Smaller in a small window, or the next seal would come at once. */
const SEED_SHARE = 0.16;
const KEPT_SHARE = 0.15;
/** Of talk more stays raw: no file has it, and a seal comes only when the window is full. */
const KEPT_TALK_SHARE = 0.25;
const MAX_KEPT_TALK_TOKENS = 8_000;
/** A small window is used up to this share, within the limit below. */
const SMALL_CEILING_SHARE = 0.75;
const SMALL_CEILING_TOKENS = 48_000;
const MAX_CEILING_TOKENS = 100_000;
const MAX_LEAVING_TOKENS = 20_000;
const COLD_LEAVING_TOKENS = 8_000;

/** A length of the messages from which on the model's price is higher. */
export interface CostStep {
	/** Tokens of messages. */
	readonly above: number;
	/** What a token that is read costs more there, in tokens of plain input. */
	readonly surcharge: number;
	/** Tokens of the system prompt and the tools, which cost more there too. */
	readonly fixed: number;
}

export interface SealFigures {
	/** Tokens of the messages of the next request: seed and tail, without system and tools. */
	readonly context: number;
	/** Tokens after a seal now: the seed and the kept turns. */
	readonly after: number;
	/** Recent growth per request in tokens, on average. */
	readonly growth: number;
	/** The cost so far in this epoch of keeping more than that. */
	readonly regret: number;
	readonly prices: Pick<Prices, "read" | "write">;
	/** Longer prompts cost more per token. */
	readonly steps?: readonly CostStep[] | undefined;
	readonly hidden: number;
	readonly ceiling: number;
	/** The provider's cache has expired: everything is written again, sealed or not. */
	readonly cold: boolean;
	/** How many times the price the regret must reach: more than once at a bad moment. */
	readonly patience: number;
	/** The most that the seal may cost if no request follows this one; undefined: any price. */
	readonly mostLost?: number | undefined;
}

export type SealReason =
	| "regret"
	| "ceiling"
	/** The share of the window that the user set is full. */
	| "share"
	/** The request would cross a step of the model's price. */
	| "step"
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
	/** What this request would cost more for its length, in tokens of plain input; absent: no step is crossed. */
	readonly stepSaved?: number | undefined;
}

export function decideSeal(input: SealFigures): SealDecision {
	const { read, write } = input.prices;
	const leaving = Math.max(0, input.context - input.after);
	const regret = input.regret + overpaid(input);
	const stepSaved = surchargeOf(input);
	const rewrite = Math.max(0, write - read) * input.after;
	// On a cold cache a seal costs no money: it saves writing the text that leaves. What it hides still has its price.
	const price = input.cold ? Math.max(0, input.hidden - write * leaving) : (rewrite + input.hidden) * input.patience;
	const floor = input.cold
		? COLD_LEAVING_TOKENS
		: Math.min(MAX_LEAVING_TOKENS, Math.sqrt((2 * rewrite * Math.max(1, input.growth)) / Math.max(read, 0.01)));
	const decided = { regret, price, floor, ...(stepSaved > 0 && { stepSaved: Math.round(stepSaved) }) };
	if (input.context >= input.ceiling && leaving > 0) return { seal: true, why: "ceiling", ...decided };
	if (leaving < floor) return { seal: false, why: "too-early", ...decided };
	// Where this request alone would pay for the seal, no moment is too bad for it.
	const isDecisive = regret >= price && regret - stepSaved < price;
	if (stepSaved > 0 && (isDecisive || stepSaved >= rewrite + input.hidden))
		return { seal: true, why: "step", ...decided };
	const isRisky = !input.cold && rewrite - read * leaving > (input.mostLost ?? Number.POSITIVE_INFINITY);
	if (regret < price || isRisky) return { seal: false, why: "not-worth-it", ...decided };
	return { seal: true, why: input.cold ? "cold-cache" : "regret", ...decided };
}

/** What a request costs more than it would after a seal, in tokens of plain input. */
export function overpaid(figures: Pick<SealFigures, "context" | "after" | "prices" | "steps">): number {
	const { context, after, prices } = figures;
	return prices.read * Math.max(0, context - after) + surchargeOf(figures);
}

/** The part of it that a step of the price makes. */
function surchargeOf({ context, after, steps = [] }: Pick<SealFigures, "context" | "after" | "steps">): number {
	const at = (tokens: number) => {
		const step = steps.findLast(({ above }) => tokens > above);
		return step ? step.surcharge * (tokens + step.fixed) : 0;
	};
	return Math.max(0, at(context) - at(after));
}

/**
 * The hard limit of a request's messages: half the window, at most 100,000 tokens; three quarters of a small window.
 */
export function ceilingTokens(window: number): number {
	const small = Math.min(Math.floor(window * SMALL_CEILING_SHARE), SMALL_CEILING_TOKENS);
	return Math.max(small, Math.min(Math.floor(window / 2), MAX_CEILING_TOKENS));
}

/** What decides the sizes after a seal. */
export interface SizeRule {
	readonly profile: Profile;
	readonly window: number;
	readonly prices: Pick<Prices, "read">;
	/** The session is a conversation without work on files. */
	readonly isTalk?: boolean | undefined;
	/** Messages of the session so far; undefined: many. */
	readonly messages?: number | undefined;
}

/** A session that is still short keeps fewer raw turns. Talk, which is in no file, keeps all of them from the beginning. */
const FIRST_KEPT_SHARE = 0.5;
const GROWN_MESSAGES = 200;

function grownKeptTokens({ profile, prices: { read }, messages, isTalk }: SizeRule): number {
	const whole = PROFILES[profile].kept * classOf(read).size;
	const grown = isTalk || messages === undefined ? 1 : Math.min(1, messages / GROWN_MESSAGES);
	return Math.round(whole * (FIRST_KEPT_SHARE + (1 - FIRST_KEPT_SHARE) * grown));
}

/** The most that stays raw after a seal; the newest turn always stays. */
export function keptTokens(rule: SizeRule): number {
	const { window, isTalk } = rule;
	const usual = Math.min(grownKeptTokens(rule), Math.floor(window * KEPT_SHARE));
	const talk = isTalk ? Math.min(MAX_KEPT_TALK_TOKENS, Math.floor(window * KEPT_TALK_SHARE)) : 0;
	return Math.max(usual, talk);
}

/** The most a seed may have: the whole from the beginning, because rules and corrections need their room however short the session is. */
export function seedBudget({ profile, window, prices: { read } }: SizeRule): number {
	return Math.min(Math.round(PROFILES[profile].seed * classOf(read).size), Math.floor(window * SEED_SHARE));
}

/**
 * The account of a seal: why it was made, at what price, what left and what the seed holds.
 * `transform`: the entry of the Transform with the seal; undefined where the agent compacts in its own words and the
 * seed follows.
 */
export function sealAccount(seal: PlannedSeal, mode: string, transform?: string): GivenPayload<"Seal"> {
	const { from, decision, tokensBefore, tokensAfter, left, seed } = seal;
	const { why, regret, price, floor, stepSaved } = decision;
	return {
		from: from ?? "",
		why,
		mode,
		transform,
		arithmetic: { regret, price, floor, ...(why === "step" && stepSaved !== undefined && { stepSaved }) },
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
	step: "a longer prompt costs more per token",
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
