/** Messages in Anthropic's form, in Pi's: from there they go to any provider. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { blocksOf } from "../content.ts";
import type { CallNames } from "../dialect.ts";
import type { PiBlock, PiMessage } from "../pi/message.ts";

/**
 * Results become messages of their own, before the rest of the user's message. `calls` names the tools of earlier calls; the calls of
 * these messages are added.
 */
export function anthropicToPi(messages: readonly JsonObject[], calls: CallNames = new Map()): PiMessage[] {
	return messages.flatMap((message): PiMessage[] => {
		const blocks = blocksOf(message["content"]);
		if (message["role"] === "assistant") {
			for (const { type, id, name } of blocks) if (type === "tool_use") calls.set(String(id), String(name));
			return [{ role: "assistant", content: blocks.flatMap(answerBlocks) }];
		}
		const results = blocks.flatMap((block) => (isResult(block) ? [readResultBlock(block, calls)] : []));
		const said = blocks.flatMap((block) => (isResult(block) ? [] : userBlocks(block)));
		return said.length > 0 ? [...results, { role: "user", content: said }] : results;
	});
}

export function hasResult(content: unknown): boolean {
	return asList(content).some((block) => isResult(asObject(block) ?? {}));
}

export function isResult(block: JsonObject): boolean {
	return block["type"] === "tool_result";
}

/** A block of the model's answer. */
export function answerBlocks(block: JsonObject): PiBlock[] {
	switch (block["type"]) {
		case "text":
			return [{ type: "text", text: asText(block["text"]) ?? "" }];
		case "thinking":
			return [
				{ type: "thinking", thinking: asText(block["thinking"]) ?? "", thinkingSignature: asText(block["signature"]) },
			];
		case "tool_use":
			return [
				{
					type: "toolCall",
					id: asText(block["id"]) ?? "",
					name: asText(block["name"]) ?? "",
					arguments: block["input"] ?? {},
				},
			];
		default:
			return [];
	}
}

function readResultBlock(block: JsonObject, calls: CallNames): PiMessage {
	const toolCallId = asName(block["tool_use_id"]) ?? "";
	return {
		role: "toolResult",
		toolCallId,
		toolName: calls.get(toolCallId) ?? "",
		content: blocksOf(block["content"]).flatMap(userBlocks),
		isError: block["is_error"] === true,
	};
}

/** A block of the user's message or of a result. */
function userBlocks(block: JsonObject): PiBlock[] {
	const source = asObject(block["source"]);
	if (block["type"] === "image" && source)
		return [
			{ type: "image", data: asText(source["data"]) ?? "", mimeType: asText(source["media_type"]) ?? "image/png" },
		];
	if (block["type"] === "text") return [{ type: "text", text: asText(block["text"]) ?? "" }];
	// Other forms have no place for documents and for what a tool refers to: only their words are kept.
	const words = asList(block["content"]).flatMap((part) => asName(asObject(part)?.["text"]) ?? []);
	return words.length > 0 ? [{ type: "text", text: words.join("\n") }] : [];
}
