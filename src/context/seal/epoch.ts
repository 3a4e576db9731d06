/**
 * The cost of keeping messages so far in this epoch, and whether a seal pays now. Pure: computed from the messages since
 * the seal, so a new process, another agent and replay get the same answer.
 */

import type { Prices } from "../../base/tokens/prices.ts";
import { type CutMessage, turnStarts } from "../../message/turns.ts";
import type { Pause } from "./pause-fold.ts";
import {
	type CostStep,
	ceilingTokens,
	decideSeal,
	keptTokens,
	overpaid,
	type SealDecision,
	type SizeRule,
	seedBudget,
} from "./rule.ts";

export interface Epoch {
	/** Tokens of its opening; undefined: no message has left yet. */
	readonly seed: number | undefined;
	/** The messages since, oldest first. */
	readonly tail: readonly CutMessage[];
	/** Index of the first message that came after the epoch began. The ones before it were kept. */
	readonly start: number;
}

export interface EpochRule extends SizeRule {
	readonly prices: Prices;
	/** Where longer prompts cost more per token. */
	readonly steps?: readonly CostStep[] | undefined;
	/** The hidden price of a seal, in tokens. */
	readonly hidden: number;
	/** The provider has forgotten the request before. */
	readonly cold: boolean;
	/** The kind of the newest round. */
	readonly pause: Pause;
}

/**
 * How many times its price the regret of a seal must reach. After an edit the ceiling always comes first, but a number
 * is needed for the account of a seal that a person asks for.
 */
const PATIENCE: Readonly<Record<Pause, number>> = { rest: 1, work: 2, edit: 1_000 };
/**
 * Many sessions end early, and one that ends right after its first seal has paid for nothing. So that seal may cost at most
 * this share of what the session has cost so far.
 */
const MAX_FIRST_SHARE = 0.1;

/** Decides before a request, which it includes. */
export function judgeEpoch(epoch: Epoch, rule: EpochRule): SealDecision {
	const { seed, tail, start } = epoch;
	const { prices, steps, window, hidden, cold, pause } = rule;
	const tokensBefore = sumUp(tail);
	const sizeAt = sizer(epoch, tokensBefore, rule);
	let regret = 0;
	let requests = 0;
	/** What the requests of a session without a seal have cost, each read up to the one before it and written from there. */
	let [paid, sent] = [0, 0];
	const pay = (context: number) => {
		paid += prices.read * sent + prices.write * (context - sent);
		sent = context;
	};
	for (const [at, { role }] of tail.entries()) {
		if (role !== "assistant" || at < start || at === 0) continue;
		const size = sizeAt(at);
		regret += overpaid({ ...size, prices, steps });
		requests++;
		pay(size.context);
	}
	const now = sizeAt(tail.length);
	pay(now.context);
	const begin = seed === undefined ? 0 : seed + tokensBefore(Math.min(start, tail.length));
	const growth = (now.context - begin) / Math.max(1, requests);
	const mostLost = seed === undefined ? paid * MAX_FIRST_SHARE : undefined;
	const ceiling = ceilingTokens(window);
	return decideSeal({
		...now,
		growth,
		regret,
		prices,
		steps,
		hidden,
		ceiling,
		cold,
		patience: PATIENCE[pause],
		mostLost,
	});
}

/** Gives the tokens before an index, and after a seal there. Must be called with rising indexes. */
function sizer(
	{ seed, tail }: Epoch,
	tokensBefore: (index: number) => number,
	rule: SizeRule,
): (end: number) => { readonly context: number; readonly after: number } {
	const starts = turnStarts(tail);
	const budget = seedBudget(rule);
	const kept = keptTokens(rule);
	let begun = 0;
	return (end) => {
		const context = (seed ?? 0) + tokensBefore(end);
		const opening = Math.min(budget, seed ?? Math.ceil(context * 0.6));
		while ((starts[begun] ?? end) < end) begun++;
		return { context, after: opening + keptAt(tokensBefore, starts, { begun, end, limit: kept }) };
	};
}

/** Tokens of the messages before an index. */
function sumUp(messages: readonly CutMessage[]): (index: number) => number {
	let total = 0;
	const sums = [0, ...messages.map(({ tokens }) => (total += tokens))];
	return (index) => sums[index] ?? total;
}

/** Tokens of the newest whole turns before `end` that fit into a limit, the newest one always. `begun`: turns before it. */
function keptAt(
	tokensBefore: (index: number) => number,
	starts: readonly number[],
	{ begun, end, limit }: { readonly begun: number; readonly end: number; readonly limit: number },
): number {
	let kept = 0;
	for (let turn = begun - 1; turn >= 0; turn--) {
		const tokens = tokensBefore(end) - tokensBefore(starts[turn] ?? 0);
		if (kept > 0 && tokens > limit) break;
		kept = tokens;
	}
	return kept;
}
