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
		const own = asObject(fields["function"]) ?? fields;
		const parameters = own["input_schema"] ?? own["parameters"] ?? {};
		return { name: asName(own["name"]) ?? "", description: asText(own["description"]) ?? "", parameters };
	});
	return tools.filter(({ name }, at) => tools.findIndex((tool) => tool.name === name) === at);
}
