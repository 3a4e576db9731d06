/**
 * Calls a tool of `tool/` for an MCP client. Text only: with structured content, two of three agents show the model nothing else.
 * Answers stay below the size that all of them pass on whole.
 */
import type { Engine } from "../../engine.ts";
import { TOOLS } from "../../tool/catalogue.ts";
import { refusal, type ToolAnswer } from "../../tool/types.ts";
import { toolContext } from "../live/tool-context.ts";
import { page } from "./page.ts";
import { renderChoice, type SessionChoice } from "./session-choice.ts";

/** Tools whose answers are exact bytes of the log: nothing may be added. */
const EXACT = new Set(["lcm_expand"]);
const SEARCHING = new Set(["lcm_grep"]);

export interface McpToolCall {
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	readonly signal?: AbortSignal | undefined;
	/** ms since the epoch. */
	readonly now: number;
}

export async function callTool(engine: Engine | undefined, which: SessionChoice | undefined, request: McpToolCall) {
	if (!engine || !which) return result(refusal("not-found", NO_RECORD));
	const answer = await answerTool(engine, which, request);
	const namesSession = which.isGuess && !answer.isError && !EXACT.has(request.name);
	return result({
		...answer,
		text: namesSession
			? `${answer.text}\n\n${renderChoice(which, { canName: SEARCHING.has(request.name) })}`
			: answer.text,
	});
}

export const NO_RECORD = "weft keeps no record of this project, so there is nothing to ask it.";

async function answerTool(
	engine: Engine,
	{ ref }: SessionChoice,
	{ name, args, signal, now }: McpToolCall,
): Promise<ToolAnswer> {
	const tool = TOOLS.find((each) => each.name === name);
	if (!tool) return refusal("not-found", `There is no tool '${name.slice(0, 80)}'.`);
	if (tool.writes && engine.log.readOnly)
		return refusal("read-only", "The log cannot be written now, so nothing was recorded.");
	return tool.run(toolContext(engine, ref, { now, signal }), args);
}

function result({ text, isError }: ToolAnswer) {
	return { content: [{ type: "text", text: page(text) }], ...(isError && { isError }) };
}
