/** The agent's own model as one that writes summaries, where the host lends it. */
import type { Summariser } from "../../history/summariser.ts";
import type { RuntimeContext } from "./contract.ts";

const MOST_INSTRUCTION_CHARS = 2_000;

/** Those that were configured, then the host's; `instructions`: what the user asks of the summary. */
export function summarisersFor(
	configured: readonly Summariser[],
	runtime: RuntimeContext | undefined,
	instructions?: string,
): Summariser[] {
	const host = hostSummariser(runtime?.llm);
	const all = host ? [...configured, host] : configured;
	const wanted = instructions?.trim().slice(0, MOST_INSTRUCTION_CHARS);
	return wanted ? all.map((each) => instructed(each, wanted)) : [...all];
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

function instructed(summariser: Summariser, wanted: string): Summariser {
	return {
		name: summariser.name,
		summarise: (request) =>
			summariser.summarise({ ...request, prompt: `${request.prompt}\n\nThe user asks of this summary: ${wanted}` }),
	};
}
