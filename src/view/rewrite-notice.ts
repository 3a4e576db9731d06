/** Tells the user that the next request writes the context to the provider's cache once more. */
import { formatCount, formatDollars, formatKilo } from "../base/text/bytes.ts";
import { costUnits, dollarsOf } from "../base/tokens/prices.ts";
import type { RewriteForecast } from "../context/seal/rewrite-forecast.ts";

/** `isSummarised`: the agent's own model reads the whole context to compact it. Else the seal costs no call. */
export function renderRewriteNotice(
	{ why, tokens, sealed, prices, isLong }: RewriteForecast,
	{ isSummarised = false }: { readonly isSummarised?: boolean | undefined } = {},
): string {
	const cost = (of: number) => {
		const dollars = dollarsOf(costUnits({ write: of, writeLong: isLong ? of : 0 }, prices), prices);
		const about = prices.assumed ? "~" : "";
		return dollars >= 0.005 ? ` (${about}${formatDollars(dollars)})` : "";
	};
	const cause = why === "pause" ? "the pause emptied the provider's cache" : "another model has its own cache";
	const next = `${cause}, so the next request writes ${formatCount(tokens)} tokens again${cost(tokens)}.`;
	if (sealed >= tokens) return next;
	const after = `${formatCount(sealed)} tokens${cost(sealed)}`;
	return isSummarised
		? `${next} /compact first reads them once as well, and leaves about ${after} to each request after it.`
		: `${next} With a seal first (/compact) it would write about ${after}.`;
}

/** For the status line. */
export function renderRewriteShort({ why, tokens, sealed }: RewriteForecast): string {
	const cause = why === "pause" ? "cache cold" : "other model";
	return `${cause}: next writes ${formatKilo(tokens)} (sealed ${formatKilo(sealed)})`;
}
