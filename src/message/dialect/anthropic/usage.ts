import { asObject, asTokens, type JsonObject } from "../../../base/json/read.ts";
import type { Usage } from "../../usage.ts";

export function readAnthropicUsage(value: unknown): Usage | undefined {
	const usage = asObject(value);
	if (!usage) return undefined;
	return {
		input: asTokens(usage["input_tokens"]) ?? 0,
		output: asTokens(usage["output_tokens"]) ?? 0,
		cacheRead: asTokens(usage["cache_read_input_tokens"]) ?? 0,
		cacheWrite: asTokens(usage["cache_creation_input_tokens"]) ?? 0,
		cacheWriteLong: asTokens(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]),
	};
}

export function writeAnthropicUsage({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
	};
}
