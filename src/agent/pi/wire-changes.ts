/** What handlers changed of the system text, the tools and the options, put into the request that Pi has made for a provider. */

import { asList, asName, asObject, type JsonObject } from "../../base/json/read.ts";
import type { ContextEnvelope, ToolDefinition } from "../../context/envelope/envelope.ts";
import { joinTools } from "../../context/patch/join-tools.ts";
import { changeReasoning, type ReasoningModel } from "../../message/dialect/reasoning-level.ts";

export interface WireChanges {
	readonly base: ContextEnvelope;
	readonly made: ContextEnvelope;
	/** What is known of the model that is asked. */
	readonly model?: ReasoningModel | undefined;
}

/** The payload itself where nothing is to be changed. */
export function changeWire(payload: unknown, { base, made, model }: WireChanges): unknown {
	const request = asObject(payload);
	if (!request) return payload;
	const system = base.system.compiled === made.system.compiled ? {} : changeSystem(request, base, made);
	const tools = base.tools === made.tools ? {} : changeTools(request, base, made);
	const changed = { ...request, ...system, ...tools, ...changeOptions(request, made) };
	const { reasoning } = made.options;
	const sent = reasoning === undefined ? changed : changeReasoning(changed, reasoning, model);
	const keys = new Set([...Object.keys(request), ...Object.keys(sent)]);
	return [...keys].every((key) => sent[key] === request[key]) ? payload : sent;
}

/** Anthropic has the text in a field of its own, OpenAI in the first messages. */
function changeSystem(request: JsonObject, base: ContextEnvelope, made: ContextEnvelope): JsonObject {
	const swap = (text: string) => text.replace(base.system.compiled, () => made.system.compiled);
	const { system, messages } = request;
	if (typeof system === "string") return { system: swap(system) };
	if (Array.isArray(system)) return { system: asList(system).map((block) => swapText(block, "text", swap)) };
	return {
		messages: asList(messages).map((message) => {
			const { role, content } = asObject(message) ?? {};
			if (role !== "system" && role !== "developer") return message;
			if (!Array.isArray(content)) return swapText(message, "content", swap);
			return { ...asObject(message), content: content.map((block) => swapText(block, "text", swap)) };
		}),
	};
}

function swapText(value: unknown, field: string, swap: (text: string) => string): unknown {
	const block = asObject(value);
	const text = block?.[field];
	return block && typeof text === "string" ? { ...block, [field]: swap(text) } : value;
}

/**
 * In the order of the definitions. A tool that the host does not have cannot be added: nobody would run it. What a definition
 * leaves as it was keeps the bytes that Pi made of it.
 */
function changeTools(request: JsonObject, base: ContextEnvelope, made: ContextEnvelope): JsonObject {
	const given = asList(request["tools"]).map((tool) => asObject(tool) ?? {});
	const named = new Map(given.flatMap((tool) => (nameOf(tool) === undefined ? [] : [[nameOf(tool)!, tool]])));
	const before = new Map(base.tools.map((tool) => [tool.name, tool]));
	const joined = joinTools(made.tools, named).tools.map(({ definition, implementation }) =>
		changeTool(implementation, definition, before.get(definition.name)),
	);
	// A provider's own tools have no definition of ours: they stay.
	const others = given.filter((tool) => nameOf(tool) === undefined);
	return { tools: [...others, ...joined].map((tool, at, all) => withMark(tool, at === all.length - 1, given)) };
}

function changeTool(tool: JsonObject, definition: ToolDefinition, before: ToolDefinition | undefined): JsonObject {
	const inner = asObject(tool["function"]);
	const fields = inner ?? tool;
	const schema = "input_schema" in fields ? "input_schema" : "parameters";
	const isSame = JSON.stringify(definition.parameters) === JSON.stringify(before?.parameters);
	const changed = {
		...fields,
		description: definition.description,
		...(isSame || definition.parameters === undefined ? {} : { [schema]: definition.parameters }),
	};
	return inner ? { ...tool, function: changed } : changed;
}

/** Pi marks the last tool for the cache, whichever it is now. */
function withMark(tool: JsonObject, isLast: boolean, given: readonly JsonObject[]): JsonObject {
	const mark = given.find((each) => each["cache_control"] !== undefined)?.["cache_control"];
	const { cache_control: had, ...plain } = tool;
	if (mark === undefined || (had !== undefined) === isLast) return tool;
	return isLast ? { ...plain, cache_control: mark } : plain;
}

function nameOf(tool: JsonObject): string | undefined {
	return asName((asObject(tool["function"]) ?? tool)["name"]);
}

function changeOptions(request: JsonObject, { options }: ContextEnvelope): JsonObject {
	const limit = "max_completion_tokens" in request ? "max_completion_tokens" : "max_tokens";
	return {
		...(options.temperature === undefined ? {} : { temperature: options.temperature }),
		...(options.maxTokens === undefined ? {} : { [limit]: options.maxTokens }),
	};
}
