/** Messages in Anthropic's form as Pi has them, from where they go to any provider. */
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { blocksOf } from "./content.ts";

/**
 * Results are messages of their own in Pi's form, before what else the user's message says. `tools`: names by the ids of calls that
 * stand before these messages; those among them are added.
 */
export function anthropicToPi(messages: readonly JsonObject[], tools = new Map<string, string>()): JsonObject[] {
	return messages.flatMap((message) => {
		const blocks = blocksOf(message["content"]);
		if (message["role"] === "assistant") {
			for (const { type, id, name } of blocks) if (type === "tool_use") tools.set(String(id), String(name));
			return [{ role: "assistant", content: blocks.flatMap(answerBlock) }];
		}
		const results = blocks.flatMap((block) => (block["type"] === "tool_result" ? [resultOf(block, tools)] : []));
		const said = blocks.flatMap((block) => (block["type"] === "tool_result" ? [] : userBlock(block)));
		return said.length > 0 ? [...results, { role: "user", content: said }] : results;
	});
}

function answerBlock(block: JsonObject): JsonObject[] {
	switch (block["type"]) {
		case "text":
			return [{ type: "text", text: asText(block["text"]) ?? "" }];
		case "thinking":
			return [{ type: "thinking", thinking: block["thinking"], thinkingSignature: block["signature"] }];
		case "tool_use":
			return [{ type: "toolCall", id: block["id"], name: block["name"], arguments: block["input"] ?? {} }];
		default:
			return [];
	}
}

function resultOf(block: JsonObject, tools: ReadonlyMap<string, string>): JsonObject {
	const toolCallId = asName(block["tool_use_id"]) ?? "";
	return {
		role: "toolResult",
		toolCallId,
		toolName: tools.get(toolCallId) ?? "",
		content: blocksOf(block["content"]).flatMap(userBlock),
		isError: block["is_error"] === true,
	};
}

function userBlock(block: JsonObject): JsonObject[] {
	const source = asObject(block["source"]);
	if (block["type"] === "image" && source)
		return [
			{ type: "image", data: asText(source["data"]) ?? "", mimeType: asText(source["media_type"]) ?? "image/png" },
		];
	if (block["type"] === "text") return [{ type: "text", text: asText(block["text"]) ?? "" }];
	// What a tool refers to, and documents, have no place in other forms: their words have.
	const words = asList(block["content"]).flatMap((part) => asName(asObject(part)?.["text"]) ?? []);
	return words.length > 0 ? [{ type: "text", text: words.join("\n") }] : [];
}
