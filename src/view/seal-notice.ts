/** Tells the user of a seal, in one line: why, what left, and how to get it back. */
import { formatCount, plural } from "../base/text/bytes.ts";
import type { Prices } from "../base/tokens/prices.ts";
import type { PlannedSeal } from "../context/plan.ts";
import { renderSealReason } from "../context/seal/rule.ts";

export interface SealNoticeFacts {
	/** Real tokens, as in the status line, for a number of our own. */
	readonly real: (tokens: number) => number;
	/** The user's own way to find what left. */
	readonly search: string;
	readonly model: string | undefined;
	readonly prices: Prices;
}

type NoticedSeal = Pick<PlannedSeal, "left" | "tokensBefore" | "tokensAfter" | "decision">;

export function renderSealNotice(seal: NoticedSeal, { real, search, ...priced }: SealNoticeFacts): string {
	const { left, tokensBefore, tokensAfter, decision } = seal;
	const sizes = `${formatCount(real(tokensBefore))} → ${formatCount(real(tokensAfter))} tokens`;
	const what = `sealed (${renderSealReason(decision.why)}): ${plural(left, "message")} left the context, ${sizes}.`;
	return [what, `To get them back: ${search}, or ask the model.`, ...renderAssumedPrice(seal, priced)].join(" ");
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
