/** The part of a request before its messages, for a caller that does not know which API the request is for. */
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";

/** The texts of Anthropic's own field, or of chat completions' system messages. */
export function readSystemTexts(request: JsonObject): string[] {
	const { system } = request;
	if (typeof system === "string") return [system];
	if (system !== undefined) return asList(system).map((block) => joinTexts([block]));
	return asList(request["messages"]).flatMap((message) => {
		const { role, content } = asObject(message) ?? {};
		return role === "system" || role === "developer" ? [joinTexts(content)] : [];
	});
}

function joinTexts(content: unknown): string {
	if (typeof content === "string") return content;
	return asList(content)
		.map((block) => asText(asObject(block)?.["text"]) ?? "")
		.join("");
}

export interface ReadTool {
	readonly name: string;
	readonly description: string;
	readonly parameters: unknown;
}

/** A provider's own tools may have no name: only the first of those is kept. */
export function readTools(request: JsonObject): ReadTool[] {
	const tools = asList(request["tools"]).map((tool): ReadTool => {
		const fields = asObject(tool) ?? {};
		const own = toolFields(fields);
		const parameters = own["input_schema"] ?? own["parameters"] ?? {};
		return { name: toolName(fields) ?? "", description: asText(own["description"]) ?? "", parameters };
	});
	return tools.filter(({ name }, at) => tools.findIndex((tool) => tool.name === name) === at);
}

/** Chat completions put a tool's fields into its `function`. */
function toolFields(tool: JsonObject): JsonObject {
	return asObject(tool["function"]) ?? tool;
}

/** Undefined: it is a provider's own tool. */
export function toolName(tool: JsonObject): string | undefined {
	return asName(toolFields(tool)["name"]);
}

/** The fields of the request that hold its system text, with `before` replaced by `after`. */
export function replaceSystemText(request: JsonObject, before: string, after: string): JsonObject {
	const swap = (text: string) => text.replace(before, () => after);
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

type ToolChange = Pick<ReadTool, "description"> & { readonly parameters?: unknown };

/** The tool with another description. Its schema changes only where it differs from the one `before`. */
export function changeTool(tool: JsonObject, after: ToolChange, before: ToolChange | undefined): JsonObject {
	const fields = toolFields(tool);
	const schema = "input_schema" in fields ? "input_schema" : "parameters";
	const isSame = JSON.stringify(after.parameters) === JSON.stringify(before?.parameters);
	const changed = {
		...fields,
		description: after.description,
		...(isSame || after.parameters === undefined ? {} : { [schema]: after.parameters }),
	};
	return fields === tool ? changed : { ...tool, function: changed };
}

/** Puts the cache mark of the tools `before` on the last tool. */
export function keepToolMark(tools: readonly JsonObject[], before: readonly JsonObject[]): JsonObject[] {
	const mark = before.find((tool) => tool["cache_control"] !== undefined)?.["cache_control"];
	return tools.map((tool, at) => {
		const isLast = at === tools.length - 1;
		const { cache_control: own, ...plain } = tool;
		if (mark === undefined || (own !== undefined) === isLast) return tool;
		return isLast ? { ...plain, cache_control: mark } : plain;
	});
}

/** The field that limits the tokens of the answer. */
export function limitAnswer(request: JsonObject, maxTokens: number): JsonObject {
	const field = "max_completion_tokens" in request ? "max_completion_tokens" : "max_tokens";
	return { [field]: maxTokens };
}
