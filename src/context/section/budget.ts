/** How many tokens the computed context may take: Warp's formula. Pure. */

export interface ModelWindow {
	/** Tokens that the model takes in all. */
	readonly window: number;
	/** Tokens of its longest answer; by default the most that is ever reserved. */
	readonly maxTokens?: number | undefined;
}

const MAX_OUTPUT_TOKENS = 8_192;
const OUTPUT_SHARE = 0.8;
const SYSTEM_AND_TOOLS_TOKENS = 12_000;
/** Of a request; the rest is for the messages after it. */
export const COMPUTED_SHARE = 0.6;
/** Messages that left are named one by one up to this number. */
export const MAX_HANDLES = 40;
/** Below this the formula leaves too little, and a share of the window replaces it. */
const MIN_TOKENS = 2_000;
const SMALL_WINDOW_SHARE = 0.25;

export function contextBudget({ window, maxTokens }: ModelWindow): number {
	const output = Math.min(MAX_OUTPUT_TOKENS, (maxTokens ?? Number.POSITIVE_INFINITY) * OUTPUT_SHARE);
	const computed = (window - output - SYSTEM_AND_TOOLS_TOKENS) * COMPUTED_SHARE;
	return Math.max(0, Math.floor(computed >= MIN_TOKENS ? computed : window * SMALL_WINDOW_SHARE));
}
