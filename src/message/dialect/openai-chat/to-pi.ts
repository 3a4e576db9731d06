/** Messages of chat completions in Pi's form. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { parseArguments } from "../content.ts";
import type { CallNames, RequestMessage } from "../dialect.ts";
import { imageOfUrl, type PiBlock, type PiCall, type PiMessage, textBlock } from "../pi/message.ts";
import { reasoningIn } from "./form.ts";

export function chatToPi(speaker: RequestMessage["speaker"], item: JsonObject, calls: CallNames): PiMessage {
	const content = contentBlocks(item["content"]);
	if (speaker === "user" || speaker === "system") return { role: speaker, content };
	if (speaker === "assistant") {
		const called = asList(item["tool_calls"]).map((call) => callBlock(asObject(call) ?? {}));
		for (const { id, name } of called) calls.set(id, name);
		return { role: "assistant", content: [...thinkingBlocks(item), ...content, ...called] };
	}
	const toolCallId = asName(item["tool_call_id"]) ?? "";
	const toolName = calls.get(toolCallId) ?? asName(item["name"]) ?? "";
	return { role: "toolResult", toolCallId, toolName, content, isError: false };
}

function contentBlocks(content: unknown): PiBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((each) => {
		const part = asObject(each) ?? {};
		const url = asText(asObject(part["image_url"])?.["url"]);
		return (url === undefined ? undefined : imageOfUrl(url)) ?? textBlock(asText(part["text"]) ?? "");
	});
}

export function thinkingBlocks(item: JsonObject): PiBlock[] {
	const thinking = reasoningIn(item);
	return thinking === undefined ? [] : [{ type: "thinking", thinking }];
}

export function callBlock(call: JsonObject): PiCall {
	const { name, arguments: input } = asObject(call["function"]) ?? {};
	return {
		type: "toolCall",
		id: asName(call["id"]) ?? "",
		name: asName(name) ?? "",
		arguments: parseArguments(input ?? ""),
	};
}
