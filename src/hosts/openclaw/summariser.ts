/** The agent's own model as one that writes summaries, where the host lends it. */
import type { Summariser } from "../../history/summariser.ts";
import type { RuntimeContext } from "./contract.ts";

/** Those that were configured, then the host's. */
export function summarisersFor(configured: readonly Summariser[], runtime: RuntimeContext | undefined): Summariser[] {
	const host = hostSummariser(runtime?.llm);
	return host ? [...configured, host] : [...configured];
}

function hostSummariser(llm: RuntimeContext["llm"]): Summariser | undefined {
	if (typeof llm?.complete !== "function") return undefined;
	return {
		name: "openclaw/agent",
		async summarise({ prompt, maxTokens }) {
			const { text, stopReason, usage } = await llm.complete({
				messages: [{ role: "user", content: prompt }],
				purpose: "weft: summary of earlier messages",
				maxTokens,
			});
			if (stopReason === "error" || stopReason === "aborted") throw new Error(`the call was ${stopReason}`);
			return usage === undefined ? { text } : { text, usage };
		},
	};
}
