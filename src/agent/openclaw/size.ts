/** How large things are, as OpenClaw counts: its budget as a window, and messages by our weight. */

import { DEFAULT_WINDOW_TOKENS } from "../../base/tokens/prices.ts";
import { weighMessage } from "../../message/weight.ts";
import type { AgentMessage } from "./contract.ts";
import { viewOf } from "./translate.ts";

/** The host's budget differs a little from turn to turn; the sizes of an epoch should not. */
const WINDOW_STEP_TOKENS = 1_000;

export function windowOf(budget: number | undefined): number {
	const isNamed = budget !== undefined && Number.isFinite(budget) && budget > 0;
	const tokens = isNamed ? budget : DEFAULT_WINDOW_TOKENS;
	return Math.max(Math.min(tokens, WINDOW_STEP_TOKENS), tokens - (tokens % WINDOW_STEP_TOKENS));
}

export function weighAll(messages: readonly AgentMessage[]): number {
	return messages.reduce((sum, message) => sum + weighMessage(viewOf(message)), 0);
}
