/**
 * Which thinking may a request carry back to a model? It depends on the model's generation and on the request's `thinking` field. Newer
 * Claude models sign thinking over everything before it and refuse it behind another prefix. Models with manual extended thinking want
 * the opposite for one message: the newest turn of a run that continues must begin with its thinking. Facts of November 2026.
 */
import { asObject, type JsonObject } from "../base/json/read.ts";

/**
 * keep: all thinking is sent.
 * bound: thinking is sent only behind the prefix that the model saw when it wrote it.
 * manual: the same, but the newest turn of a run that continues keeps its thinking.
 * off: no thinking is sent.
 */
export type ThinkingRule = (typeof THINKING_RULES)[number];
export const THINKING_RULES = ["keep", "bound", "manual", "off"] as const;

/** A request's `thinking` field: switched off, with a budget, or left to the model. */
export type ThinkingSwitch = "off" | "manual" | "adaptive";

export interface ThinkingRequest {
	/** The model's id, with or without its provider. */
	readonly model: string | undefined;
	/** Pi's name of the API. */
	readonly api?: string | undefined;
	/** Undefined: not known. */
	readonly thinking?: ThinkingSwitch | undefined;
}

/** Claude's families: the newest version with manual thinking, and the first that binds thinking to its prefix. 405 is version 4.5. */
const FAMILIES: Readonly<Record<string, { readonly manualTo: number; readonly boundFrom: number }>> = {
	opus: { manualTo: 405, boundFrom: 505 },
	sonnet: { manualTo: 405, boundFrom: 505 },
	haiku: { manualTo: 405, boundFrom: 505 },
	fable: { manualTo: 0, boundFrom: 501 },
	mythos: { manualTo: 0, boundFrom: 501 },
};

/** Models of other providers. Their signatures and reasoning items belong to a call or a turn, not to a prefix. */
const OTHER_MODELS =
	/^(?:gpt|chatgpt|codex|o\d|gemini|gemma|grok|deepseek|qwen|glm|kimi|minimax|mistral|magistral|devstral|codestral|llama|nova|command)\b/;
const OTHER_APIS = /^(?:openai|azure-openai|google|mistral)/;

/**
 * An unknown model counts as one that binds, unless the request asks for manual thinking: models that are asked so are nearly all of the
 * older generation. One that binds all the same refuses the first request after a seal.
 */
export function thinkingRule({ model, api, thinking }: ThinkingRequest): ThinkingRule {
	switch (generationOf(model, api)) {
		case "other":
		case "adaptive":
			return "keep";
		case "manual":
			return thinking === "off" ? "off" : "keep";
		case "bound":
			return "bound";
		case "unknown":
			return thinking === "off" ? "off" : thinking === "manual" ? "manual" : "bound";
	}
}

type Generation = "manual" | "adaptive" | "bound" | "other" | "unknown";

function generationOf(model: string | undefined, api: string | undefined): Generation {
	const name = model?.toLowerCase() ?? "";
	const claude = readClaude(name);
	if (claude) {
		const { manualTo, boundFrom } = FAMILIES[claude.family] ?? { manualTo: 0, boundFrom: 0 };
		if (claude.version <= manualTo) return "manual";
		return claude.version >= boundFrom ? "bound" : "adaptive";
	}
	if (OTHER_MODELS.test(name.slice(name.lastIndexOf("/") + 1))) return "other";
	return api !== undefined && OTHER_APIS.test(api) ? "other" : "unknown";
}

/** `claude-opus-4-5-20251101`, `us.anthropic.claude-opus-5-5-v1:0`, `claude-3-7-sonnet`. Undefined: no Claude, or without a version. */
function readClaude(name: string): { readonly family: string; readonly version: number } | undefined {
	const [, family, major, minor] = /claude-([a-z]+)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(name) ?? [];
	if (family !== undefined) return { family, version: Number(major) * 100 + Number(minor ?? 0) };
	const [, first, second, old] = /claude-(\d)(?:[-.](\d))?-([a-z]+)/.exec(name) ?? [];
	return old === undefined ? undefined : { family: old, version: Number(first) * 100 + Number(second ?? 0) };
}

/** The switch in a request of Anthropic's API. A request without the field does not think. */
export function readThinkingSwitch(request: JsonObject): ThinkingSwitch {
	switch (asObject(request["thinking"])?.["type"]) {
		case "enabled":
			return "manual";
		case "adaptive":
			return "adaptive";
		default:
			return "off";
	}
}
