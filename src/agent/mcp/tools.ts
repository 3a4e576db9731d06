/**
 * The tools of `tool/` for MCP clients. Text only: with structured content, two of three agents show the model nothing else.
 * Answers stay below the size that all of them pass on whole.
 */
import { existsSync } from "node:fs";
import type { CallToolResult, ListToolsResult } from "@modelcontextprotocol/server";
import Type from "typebox";
import type { Engine } from "../../engine.ts";
import { MEMORY, memoryFolder, pathOf } from "../../state/memory/memory-files.ts";
import { TOOLS } from "../../tool/catalogue.ts";
import { refusal, type Tool, type ToolAnswer, textArgument } from "../../tool/types.ts";
import { recallBlock } from "../live/recall-block.ts";
import { threadRenderer } from "../live/thread-renderer.ts";
import { page } from "./page.ts";
import { renderChoice, type SessionChoice } from "./session-choice.ts";

/** Claude Code passes on results of this size; others cut them at less. */
const MAX_RESULT_CHARS = 100_000;
/** Tools whose answers are exact bytes of the log: nothing may be added. */
const EXACT = new Set(["lcm_expand"]);
const WRITING = new Set(["decide"]);
const SEARCHING = new Set(["lcm_grep"]);

const RECALL = {
	name: "recall",
	label: "Recall",
	description:
		"What this project's memory and earlier sessions say about a question. Use this before you ask the user for something that may have been settled in another session.",
	parameters: Type.Object({ query: Type.String({ description: "The question, in words" }) }),
} as const;

/** Lists recall only if there is something to recall. */
export function listTools(engine: Engine | undefined): ListToolsResult["tools"] {
	const all: readonly Pick<Tool, "name" | "label" | "description" | "parameters">[] =
		engine && hasMemory(engine) ? [...TOOLS, RECALL] : TOOLS;
	return all.map(({ name, label, description, parameters }) => ({
		name,
		title: label,
		description,
		inputSchema: JSON.parse(JSON.stringify(parameters)) as ListToolsResult["tools"][number]["inputSchema"],
		annotations: {
			readOnlyHint: !WRITING.has(name),
			destructiveHint: false,
			idempotentHint: true,
			openWorldHint: false,
		},
		_meta: { "anthropic/maxResultSizeChars": MAX_RESULT_CHARS, "anthropic/alwaysLoad": true },
	}));
}

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
	if (name === RECALL.name) return recall(engine, ref, textArgument(args["query"]));
	const tool = TOOLS.find((each) => each.name === name);
	if (!tool) return refusal("not-found", `There is no tool '${name.slice(0, 80)}'.`);
	if (WRITING.has(name) && engine.log.readOnly)
		return refusal("read-only", "The log cannot be written now, so nothing was recorded.");
	const renderThread = threadRenderer(engine, ref);
	return tool.run({ history: engine.history, session: ref, now, signal, renderThread }, args);
}

async function recall(engine: Engine, ref: SessionChoice["ref"], query: string): Promise<ToolAnswer> {
	if (query.trim() === "") return refusal("bad-query", "The question is empty. Say what it is about.");
	const block = await recallBlock(engine, ref, query);
	return { text: block?.text ?? "Nothing that this project remembers bears on it.", details: {} };
}

function hasMemory(engine: Engine): boolean {
	return engine.settings.memory && existsSync(pathOf(memoryFolder(engine.project.folder), MEMORY));
}

function result({ text, isError }: ToolAnswer): CallToolResult {
	return { content: [{ type: "text", text: page(text) }], ...(isError && { isError }) };
}
