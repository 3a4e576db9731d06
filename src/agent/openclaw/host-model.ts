/** The agent's own model, which the host lends for summaries and notes. */

import type { SideModel } from "../../base/sidecar/ask.ts";
import type { Summariser } from "../../state/history/summariser.ts";
import type { RuntimeContext } from "./contract.ts";

/** The configured ones, then the host's. */
export function summarisersFor(configured: readonly Summariser[], runtime: RuntimeContext | undefined): Summariser[] {
	const host = hostSummariser(runtime?.llm);
	return host ? [...configured, host] : [...configured];
}

function hostSummariser(llm: RuntimeContext["llm"]): Summariser | undefined {
	const [model] = agentModel(llm, "weft: summary of earlier messages");
	if (!model) return undefined;
	const never = new AbortController().signal;
	return {
		name: model.name,
		summarise: ({ prompt, maxTokens, signal = never }) => model.complete(prompt, { maxTokens, signal }),
	};
}

/** Empty if the host lends none. */
export function agentModel(llm: RuntimeContext["llm"], purpose: string): SideModel[] {
	if (typeof llm?.complete !== "function") return [];
	const model: SideModel = {
		name: "openclaw/agent",
		async complete(content, { maxTokens }) {
			const messages = [{ role: "user" as const, content }];
			const { text, stopReason, usage } = await llm.complete({ messages, purpose, maxTokens });
			if (stopReason === "error" || stopReason === "aborted") throw new Error(`the call was ${stopReason}`);
			return usage === undefined ? { text } : { text, usage };
		},
	};
	return [model];
}
