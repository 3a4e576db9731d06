/** Simulates a provider's usage: the common prefix of two requests is read from its cache, the rest is written to it. */

import { estimateTokens, tokensOfBytes } from "../../src/base/tokens/estimate.ts";
import type { ModelAnswer, ModelRequest, ScriptedUsage } from "../../test/rig/answer.ts";

export class SimulatedCache {
	#last = "";

	usageOf(request: ModelRequest, answer: ModelAnswer): ScriptedUsage {
		const prompt = promptOf(request);
		let shared = 0;
		while (shared < prompt.length && prompt[shared] === this.#last[shared]) shared++;
		this.#last = prompt;
		const cacheRead = tokensOfBytes(Buffer.byteLength(prompt.slice(0, shared)));
		const cacheWrite = estimateTokens(prompt) - cacheRead;
		return { input: 1, cacheRead, cacheWrite, output: estimateTokens(JSON.stringify(answer)) };
	}
}

export function promptTokens(request: ModelRequest): number {
	return estimateTokens(promptOf(request));
}

/** In the order in which it is hashed, without the cache marks. */
function promptOf({ json }: ModelRequest): string {
	const parts = [json["tools"], json["system"], json["messages"]];
	return JSON.stringify(parts, (key, value: unknown) => (key === "cache_control" ? undefined : value));
}
