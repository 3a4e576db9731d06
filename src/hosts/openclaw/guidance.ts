/** What the system prompt says of our tools: only of those that the agent can call, under the names that it has for them. */
import { HISTORY_PREAMBLE, HISTORY_TOOLS } from "../../tool/catalogue.ts";
import type { AssembleResult } from "./contract.ts";

/** The same bytes in every request of a session. */
export function guidance(namesTools: boolean): Pick<AssembleResult, "systemPromptAddition"> {
	return namesTools ? { systemPromptAddition: HISTORY_PREAMBLE.trimStart() } : {};
}

/** `tools` undefined: nobody says that they are there. */
export function hasTools(tools: ReadonlySet<string> | undefined): boolean {
	return tools !== undefined && HISTORY_TOOLS.every(({ name }) => tools.has(name));
}
