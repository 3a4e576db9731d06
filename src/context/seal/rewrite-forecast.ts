/**
 * Will the next request write the context to the provider's cache once more? After a pause the provider has dropped it,
 * and a model that was not asked before never had it. The user should hear that before it is paid, and what a seal first
 * would cost instead.
 */
import { CACHE_TTL_MS, modelName, type Prices } from "../../base/tokens/prices.ts";
import { cacheLifetime, lastModel } from "../cache/reported-fold.ts";
import { contextTokens } from "../mode.ts";
import { isCold, type Moment, type PlanSettings } from "../moment.ts";
import { plan } from "../plan.ts";
import { inRealTokens } from "../sizes.ts";

/** Less than this is not worth a word. */
const MIN_TOLD_TOKENS = 50_000;

export interface RewriteForecast {
	readonly why: "pause" | "model";
	/** Real tokens of the next request, with system prompt and tools: all of them are written. */
	readonly tokens: number;
	/** The same with a seal first. */
	readonly sealed: number;
	readonly prices: Prices;
	/** This session writes to a cache that lasts an hour, at a higher price. */
	readonly isLong: boolean;
}

/** Undefined: the cache holds the context, or it is small. */
export function forecastRewrite(moment: Moment, given: PlanSettings): RewriteForecast | undefined {
	const { path, prices, state } = moment;
	const why = isCold(moment) ? "pause" : isOtherModel(moment) ? "model" : undefined;
	if (why === undefined || !path.messages.some(({ role }) => role === "assistant")) return undefined;
	const { reported } = state();
	const real = (messages: number) => inRealTokens(reported, path.session, messages);
	const tokens = real(contextTokens(moment));
	if (tokens <= MIN_TOLD_TOKENS) return undefined;
	const sealed = Math.min(tokens, real(plan(moment, given, { force: true }).tokens));
	const isLong = cacheLifetime(reported, path.session.host) > CACHE_TTL_MS;
	return { why, tokens, sealed, prices, isLong };
}

function isOtherModel({ model, state, path }: Moment): boolean {
	const before = lastModel(state().reported, path.session);
	if (model === undefined || before === undefined) return false;
	return !isSameModel(model, before);
}

/** Each model has a cache of its own: `opus-5` and `opus-5-5` share nothing. */
export function isSameModel(one: string, other: string): boolean {
	return modelName(one) === modelName(other);
}
