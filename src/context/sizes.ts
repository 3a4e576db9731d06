/**
 * The window in the tokens that we count. Messages are weighed by an estimate; a model counts otherwise, and the system
 * prompt and the tools take their part. What is planned is planned for the room that is left, so that the ceiling holds for
 * what is sent.
 */
import { type CountedSession, fixedTokens, type ReportedState, tokensPerEstimate } from "./cache/reported-fold.ts";
import type { Moment, PlanSettings } from "./moment.ts";
import { ceilingTokens } from "./seal/rule.ts";

/** Requests are never planned larger than the estimate allows: a provider that counts less may count more tomorrow. */
const [MIN_RATIO, MAX_RATIO] = [1, 4];

/** What sizes depend on: whose session, and which model. */
export type SizedSession = Pick<Moment, "state" | "model"> & { readonly path: Pick<Moment["path"], "session"> };

/** The most tokens that the messages of the next request may have, as we count them. */
export function ceilingHere(moment: SizedSession, settings: PlanSettings): number {
	return ceilingTokens(inOurTokens(moment, settings).window);
}

/** The settings with the window that the messages of the next request have, in our own tokens. */
export function inOurTokens(moment: SizedSession, settings: PlanSettings): PlanSettings {
	if (settings.mode === "host" || settings.mode === "off") return settings;
	const { ratio, fixed } = measuresOf(moment, settings.window);
	return { ...settings, window: Math.floor((settings.window - fixed) / ratio) };
}

/** Real tokens that a request may have in all, system prompt and tools among them. */
export function realCeiling(moment: SizedSession, window: number): number {
	const { ratio, fixed } = measuresOf(moment, window);
	return Math.floor(ceilingTokens(Math.floor((window - fixed) / ratio)) * ratio + fixed);
}

/** A request whose messages we count so, in all and in real tokens: as the host counts it, with system prompt and tools. */
export function inRealTokens(reported: ReportedState, counted: CountedSession, messages: number): number {
	return Math.round(fixedTokens(reported, counted) + messages * tokensPerEstimate(reported, counted));
}

function measuresOf({ path, state, model }: SizedSession, window: number) {
	const { reported } = state();
	const counted: CountedSession = { ...path.session, model };
	const ratio = Math.min(MAX_RATIO, Math.max(MIN_RATIO, tokensPerEstimate(reported, counted)));
	const fixed = fixedTokens(reported, counted);
	// A window that it would fill is that of another model, whose host says less.
	return { ratio, fixed: fixed < window / 2 ? fixed : 0 };
}
