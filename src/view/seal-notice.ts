/** Tells the user of a seal, in one line for every agent: why, what left, what stays in view, and how to get the rest back. */
import { formatCount, plural } from "../base/text/bytes.ts";
import type { Prices } from "../base/tokens/prices.ts";
import type { PlannedSeal } from "../context/plan.ts";
import { renderSealReason } from "../context/seal/rule.ts";
import type { HeldCounts } from "../context/section/thread.ts";

export interface SealNoticeFacts {
	/** Real tokens, as in the status line, for a number of our own. */
	readonly real: (tokens: number) => number;
	readonly held: HeldCounts;
	/** The user's own way to find what left. */
	readonly search: string;
	readonly model: string | undefined;
	readonly prices: Prices;
}

type NoticedSeal = Pick<PlannedSeal, "left" | "tokensBefore" | "tokensAfter" | "decision">;

export function renderSealNotice(seal: NoticedSeal, { real, held, search, ...priced }: SealNoticeFacts): string {
	const { left, tokensBefore, tokensAfter, decision } = seal;
	const sizes = `${formatCount(real(tokensBefore))} → ${formatCount(real(tokensAfter))} tokens`;
	const what = `sealed (${renderSealReason(decision.why)}): ${plural(left, "message")} left the context, ${sizes}`;
	const back = `To get them back: ${search}, or ask the model.`;
	return [`${what}${renderHeldCounts(held)}.`, back, ...renderAssumedPrice(seal, priced)].join(" ");
}

function renderHeldCounts({ rules, decisions, open }: HeldCounts): string {
	const counts = [
		...(rules > 0 ? [plural(rules, "rule")] : []),
		...(decisions > 0 ? [plural(decisions, "decision")] : []),
		...(open > 0 ? [plural(open, "open item")] : []),
	];
	return counts.length === 0 ? "" : `; still in it: ${counts.join(", ")}`;
}

/** A seal by price, where the price is a guess. */
function renderAssumedPrice(
	{ decision: { why } }: NoticedSeal,
	{ model, prices }: Pick<SealNoticeFacts, "model" | "prices">,
): string[] {
	if (!prices.assumed || (why !== "regret" && why !== "cold-cache")) return [];
	const whose = model === undefined ? "the model's price" : `the price of ${model}`;
	return [`weft does not know ${whose} and assumes a usual one: the settings prices and seal change that.`];
}
