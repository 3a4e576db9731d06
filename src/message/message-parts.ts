/** What a message of any form says, as parts that a person can read. */
import { asList, asObject, asText, type JsonObject, plainJson } from "../json/read.ts";

export interface MessagePart {
	readonly kind: "text" | "thinking" | "call" | "result" | "image" | "other";
	/** Of a tool, or of a block that this version cannot read. */
	readonly name: string;
	readonly text: string;
}

export function messageParts(message: JsonObject): MessagePart[] {
	const parts = partsOf(message["content"] ?? message["summary"]);
	if (message["role"] === "toolResult" || message["role"] === "tool") {
		const text = parts.map((part) => (part.kind === "text" ? part.text : `[${part.kind}]`)).join("\n");
		return [{ kind: "result", name: asText(message["toolName"]) ?? asText(message["tool_call_id"]) ?? "", text }];
	}
	const command = asText(message["command"]);
	if (command !== undefined)
		parts.push({ kind: "text", name: "", text: `$ ${command}\n${asText(message["output"]) ?? ""}` });
	for (const call of asList(message["tool_calls"])) {
		const fn = asObject(asObject(call)?.["function"]) ?? {};
		parts.push({ kind: "call", name: asText(fn["name"]) ?? "", text: asText(fn["arguments"]) ?? "" });
	}
	return parts;
}

function partsOf(content: unknown): MessagePart[] {
	if (typeof content === "string") return content === "" ? [] : [{ kind: "text", name: "", text: content }];
	return asList(content).map((block) =>
		typeof block === "string" ? { kind: "text", name: "", text: block } : readPart(asObject(block) ?? {}),
	);
}

function readPart(block: JsonObject): MessagePart {
	const name = asText(block["name"]) ?? "";
	switch (block["type"]) {
		case "text":
		case "input_text":
		case "output_text":
			return { kind: "text", name: "", text: asText(block["text"]) ?? "" };
		case "thinking":
			return { kind: "thinking", name: "", text: asText(block["thinking"]) ?? "" };
		case "toolCall":
		case "tool_use":
			return { kind: "call", name, text: plainJson(block["arguments"] ?? block["input"] ?? {}) };
		case "tool_result": {
			const text = partsOf(block["content"]).map((part) => part.text);
			return { kind: "result", name: asText(block["tool_use_id"]) ?? "", text: text.join("\n") };
		}
		case "image":
		case "image_url":
			return { kind: "image", name: "", text: asText(block["mimeType"]) ?? "" };
		default:
			return { kind: "other", name: asText(block["type"]) ?? "", text: "" };
	}
}
