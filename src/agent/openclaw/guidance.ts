/**
 * What the system prompt says because of us: of our tools only those that the agent can call, under the names that it has for
 * them; and the host's own words on memory, which it leaves to the engine that is chosen.
 */
import { HISTORY_PREAMBLE, HISTORY_TOOLS } from "../../tool/catalogue.ts";
import type { AssembleParams, AssembleResult } from "./contract.ts";

/** The same bytes in every request of a session. */
export function guidance(namesTools: boolean): Pick<AssembleResult, "systemPromptAddition"> {
	return namesTools ? { systemPromptAddition: HISTORY_PREAMBLE.trimStart() } : {};
}

/** `tools` undefined: nobody says that they are there. */
export function hasTools(tools: ReadonlySet<string> | undefined): boolean {
	return tools !== undefined && HISTORY_TOOLS.every(({ name }) => tools.has(name));
}

/** The host's function that writes them; undefined: its memory has nothing to say. */
export type MemoryPrompt = (params: {
	readonly availableTools: ReadonlySet<string>;
	readonly citationsMode?: AssembleParams["citationsMode"];
	readonly agentSessionKey?: string | undefined;
}) => string | undefined;

/** Everything goes on as it was given, and nothing else does: the host compares it with what it has prepared. */
export function hostMemory(write: MemoryPrompt, params: AssembleParams): string | undefined {
	const { availableTools = new Set(), citationsMode, sessionKey: agentSessionKey } = params;
	return write({ availableTools, citationsMode, agentSessionKey });
}

export function withHostMemory(answer: AssembleResult, words: string | undefined): AssembleResult {
	if (!words) return answer;
	const { systemPromptAddition: own } = answer;
	return { ...answer, systemPromptAddition: own === undefined ? words : `${words}\n\n${own}` };
}
