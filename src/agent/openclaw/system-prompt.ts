/**
 * Additions to the system prompt: our tools, if the agent can call them, and the host's own text on memory, which the host
 * leaves to the chosen engine.
 */
import { HISTORY_PREAMBLE, HISTORY_TOOLS } from "../../tool/catalogue.ts";
import type { AssembleParams, AssembleResult } from "./contract.ts";
import type { ContextEngineOptions } from "./open.ts";

/** The same bytes in every request of a session, in every mode, also where weft has failed. */
export function guidance(namesTools: boolean): Pick<AssembleResult, "systemPromptAddition"> {
	return namesTools ? { systemPromptAddition: HISTORY_PREAMBLE.trimStart() } : {};
}

/** `tools`: those that the agent can call; undefined: the host does not list them. */
export function canNameTools(
	{ hasOwnTools = true }: Pick<ContextEngineOptions, "hasOwnTools">,
	tools: ReadonlySet<string> | undefined,
): boolean {
	return hasOwnTools && tools !== undefined && HISTORY_TOOLS.every(({ name }) => tools.has(name));
}

/** The host's function that renders its text on memory; it returns undefined if there is none. */
export type MemoryPrompt = (params: {
	readonly availableTools: ReadonlySet<string>;
	readonly citationsMode?: AssembleParams["citationsMode"];
	readonly agentSessionKey?: string | undefined;
}) => string | undefined;

/** Passes on exactly what the host gave: it compares the call with the one that it prepared. */
export function hostMemory(render: MemoryPrompt, params: AssembleParams): string | undefined {
	const { availableTools = new Set(), citationsMode, sessionKey: agentSessionKey } = params;
	return render({ availableTools, citationsMode, agentSessionKey });
}

export function withHostMemory(answer: AssembleResult, words: string | undefined): AssembleResult {
	if (!words) return answer;
	const { systemPromptAddition: own } = answer;
	return { ...answer, systemPromptAddition: own === undefined ? words : `${words}\n\n${own}` };
}
