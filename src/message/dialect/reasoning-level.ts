/**
 * Writes a reasoning level into a request: a budget or an effort for Anthropic, an effort for OpenAI and providers with its
 * format. The levels are Pi's: off, minimal, low, medium, high, xhigh.
 */
import { asNumber, asObject, type JsonObject } from "../../base/json/read.ts";

/** The part of Pi's model entry that decides the form. */
export interface ReasoningModel {
	readonly api: string;
	/** False: the model does not reason. */
	readonly reasoning?: boolean | undefined;
	/** The provider's name of a level; null: it has none. */
	readonly thinkingLevelMap?: Readonly<Record<string, string | null | undefined>> | undefined;
}

/** The same budgets as Pi's. Levels above high have no budget of their own. */
const BUDGET_TOKENS = new Map([
	["minimal", 1_024],
	["low", 2_048],
	["medium", 8_192],
]);
const HIGH_BUDGET_TOKENS = 16_384;
const MIN_BUDGET_TOKENS = 1_024;
/** The part of an answer that thinking may not use. */
const ANSWER_TOKENS = 1_024;

export function changeReasoning(request: JsonObject, level: string, model: ReasoningModel | undefined): JsonObject {
	if (model?.reasoning === false) return request;
	const named = model?.thinkingLevelMap?.[level];
	const effort = typeof named === "string" ? named : level;
	const isOff = level === "off" || level === "none";
	const isAnthropic = model ? model.api === "anthropic-messages" : "system" in request;
	if (isAnthropic) return isOff ? withoutThinking(request) : anthropicThinking(request, level, effort);
	const reasoning = asObject(request["reasoning"]);
	if (reasoning) return { ...request, reasoning: { ...reasoning, effort: isOff && !named ? "none" : effort } };
	const switched = switchThinking(request, !isOff);
	if (!isOff || typeof named === "string") return { ...switched, reasoning_effort: effort };
	const { reasoning_effort: _, ...rest } = switched;
	return rest;
}

function anthropicThinking(request: JsonObject, level: string, effort: string): JsonObject {
	// Anthropic refuses a temperature together with thinking.
	const { temperature: _, ...rest } = request;
	const thinking = asObject(request["thinking"]) ?? {};
	if (thinking["type"] === "adaptive" || request["output_config"] !== undefined) {
		const wanted = effort === "minimal" ? "low" : effort;
		return { ...rest, thinking, output_config: { ...asObject(request["output_config"]), effort: wanted } };
	}
	const most = Math.max(asNumber(request["max_tokens"]) ?? 0, MIN_BUDGET_TOKENS + ANSWER_TOKENS);
	const budget = Math.min(BUDGET_TOKENS.get(level) ?? HIGH_BUDGET_TOKENS, most - ANSWER_TOKENS);
	const display = thinking["display"] ?? "summarized";
	return { ...rest, max_tokens: most, thinking: { type: "enabled", budget_tokens: budget, display } };
}

function withoutThinking(request: JsonObject): JsonObject {
	const { output_config: _, ...rest } = request;
	return { ...rest, thinking: { type: "disabled" } };
}

/** Some providers with OpenAI's format have a switch beside the effort. */
function switchThinking(request: JsonObject, on: boolean): JsonObject {
	const thinking = asObject(request["thinking"]);
	return {
		...request,
		...(thinking ? { thinking: { ...thinking, type: on ? "enabled" : "disabled" } } : {}),
		...("enable_thinking" in request ? { enable_thinking: on } : {}),
	};
}
