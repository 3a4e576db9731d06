/** Items of OpenAI's Responses API in Pi's form. An answer of the model is several items: thoughts, texts and calls. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { parseArguments } from "../content.ts";
import { imageOfUrl, type PiBlock, textBlock } from "../pi/message.ts";

/** The blocks that an item adds to the model's answer; undefined: it is no part of one. */
export function answerBlocks(item: JsonObject): PiBlock[] | undefined {
	switch (item["type"]) {
		// The type may be left out.
		case undefined:
		case "message":
			return contentBlocks(item["content"]);
		case "reasoning": {
			const texts = [...asList(item["summary"]), ...asList(item["content"])];
			const thinking = texts.flatMap((text) => asName(asObject(text)?.["text"]) ?? []).join("\n\n");
			return thinking === "" ? [] : [{ type: "thinking", thinking }];
		}
		case "function_call":
			return [callBlock(item, asText(item["name"]) ?? "", readArguments(item["arguments"]))];
		case "custom_tool_call":
			return [callBlock(item, asText(item["name"]) ?? "", { input: item["input"] })];
		case "local_shell_call":
			return [callBlock(item, "local_shell", asObject(item["action"]) ?? {})];
		case "tool_search_call":
			return [callBlock(item, "tool_search", readArguments(item["arguments"]))];
		default:
			return undefined;
	}
}

function callBlock(item: JsonObject, name: string, input: JsonObject): PiBlock {
	const id = asName(item["call_id"]) ?? asName(item["id"]) ?? "";
	return { type: "toolCall", id, name, arguments: input };
}

function readArguments(given: unknown): JsonObject {
	return asObject(parseArguments(given)) ?? { input: given };
}

export function contentBlocks(content: unknown): PiBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((value): PiBlock[] => {
		const part = asObject(value) ?? {};
		const url = asName(part["image_url"]);
		const image = url === undefined ? undefined : imageOfUrl(url);
		if (image) return [image];
		return textBlock(asText(part["text"]) ?? (url === undefined ? "" : `[image] ${url}`));
	});
}

/** The output of a call: a text, a list of parts, or an object around either. */
export function outputBlocks(output: unknown): PiBlock[] {
	const content = typeof output === "string" || Array.isArray(output) ? output : asObject(output)?.["content"];
	if (typeof content === "string" || asList(content).length > 0) return contentBlocks(content);
	return textBlock(output == null ? "" : JSON.stringify(output));
}

export function isOutput(item: JsonObject): boolean {
	return asText(item["type"])?.endsWith("_output") ?? false;
}
