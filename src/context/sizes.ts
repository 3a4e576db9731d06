/**
 * The window in estimated tokens. Messages are weighed by an estimate, models count differently, and the system prompt
 * and the tools need room. Plans use the room that is left, so the ceiling holds for the real request.
 */
import { type CountedSession, fixedTokens, type ReportedState, tokensPerEstimate } from "./cache/reported-fold.ts";
import { type Moment, type PlanSettings, policyAt } from "./moment.ts";
import { messagesIn } from "./seal/open-reading-fold.ts";
import { sealLimit } from "./seal/policy.ts";
import { isTalk } from "./seal/reread-fold.ts";
import type { CostStep, SizeRule } from "./seal/rule.ts";

/** No tokenizer counts less than the lower one: such a provider does not report the whole prompt. */
const [MIN_RATIO, MAX_RATIO] = [0.5, 4];

/** Sizes depend on the session, the model and the user's policy. */
export type SizedSession = Pick<Moment, "state" | "model" | "prices" | "autoSeal"> & {
	readonly path: Pick<Moment["path"], "session">;
};

/** The most tokens for the messages of the next request, by our estimate; the whole window where weft sets no limit. */
export function ceilingHere(moment: SizedSession, settings: PlanSettings): number {
	const { mode, window, fixed, sealShare: share } = inOurTokens(moment, settings);
	// `warp` seals nothing.
	const policy = mode === "warp" ? "thrift" : policyAt(moment, settings);
	return Math.min(window, sealLimit(policy, { window, fixed, share }));
}

/** The settings with the window left for the messages of the next request, in estimated tokens. */
export function inOurTokens(moment: SizedSession, settings: PlanSettings): PlanSettings {
	if (settings.mode === "host" || settings.mode === "off") return settings;
	const { ratio, fixed } = measuresOf(moment, settings.window);
	// Only a share that the user chose takes all the room of a provider that counts less: it may count more later.
	const isShare = settings.mode !== "warp" && policyAt(moment, settings) !== "thrift";
	const counted = isShare ? ratio : Math.max(1, ratio);
	return { ...settings, window: Math.floor((settings.window - fixed) / counted), fixed: Math.floor(fixed / counted) };
}

/** Real tokens of the largest request, including the system prompt and the tools. */
export function realCeiling(moment: SizedSession, settings: PlanSettings): number {
	const { ratio, fixed } = measuresOf(moment, settings.window);
	return Math.floor(ceilingHere(moment, settings) * ratio + fixed);
}

/**
 * The real size of a request with this estimate of its messages: as the agent counts it, with system prompt and tools.
 */
export function inRealTokens(reported: ReportedState, counted: CountedSession, messages: number): number {
	return Math.round(fixedTokens(reported, counted) + messages * tokensPerEstimate(reported, counted));
}

/** The steps of the model's price, by our estimate of the messages. `window`: what is left of it for them. */
export function stepsHere(moment: SizedSession & Pick<Moment, "prices">, window: number): readonly CostStep[] {
	const { input, read, steps = [] } = moment.prices;
	if (steps.length === 0 || input === 0) return [];
	const { ratio, fixed } = measuresOf(moment, window);
	return steps.map((step) => ({
		above: Math.max(0, Math.floor((step.above - fixed) / ratio)),
		surcharge: (step.read * step.input) / input - read,
		fixed: fixed / ratio,
	}));
}

/** What decides how much a seal leaves in view. `window`: what is left of it for the messages. */
export function sizeRule(
	{ prices, state, path }: Pick<Moment, "prices" | "state"> & Pick<SizedSession, "path">,
	{ profile, window }: Pick<PlanSettings, "profile" | "window">,
): SizeRule {
	const { rereads, openReading } = state();
	return { profile, window, prices, isTalk: isTalk(rereads), messages: messagesIn(openReading, path.session.session) };
}

function measuresOf({ path, state, model }: SizedSession, window: number) {
	const { reported } = state();
	const counted: CountedSession = { ...path.session, model };
	const learnt = tokensPerEstimate(reported, counted);
	const ratio = learnt < MIN_RATIO ? 1 : Math.min(MAX_RATIO, learnt);
	const fixed = fixedTokens(reported, counted);
	// Fixed parts that fill half the window were measured with another model.
	return { ratio, fixed: fixed < window / 2 ? fixed : 0 };
}
