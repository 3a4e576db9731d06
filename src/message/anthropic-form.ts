/** Messages in Anthropic's form: a line of a Claude Code session, or a bare message of the Messages API. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../json/read.ts";
import type { Block, MessageView, Usage } from "./message.ts";

export function viewAnthropic(raw: unknown): MessageView {
	const line = asObject(raw) ?? {};
	const message = asObject(line["message"]) ?? line;
	const blocks = contentBlocks(message["content"], line["toolUseResult"]);
	const role = roleOf(line, message, blocks);
	const timestamp = Date.parse(asText(line["timestamp"]) ?? "");
	return {
		role,
		blocks,
		...(Number.isNaN(timestamp) ? {} : { timestamp }),
		...(role === "assistant" ? modelOf(message) : {}),
		...(isInjected(line) ? { injected: true } : {}),
	};
}

function roleOf(line: JsonObject, message: JsonObject, blocks: readonly Block[]): string {
	if (line["isCompactSummary"] === true) return "compactionSummary";
	if (blocks.some((block) => block.kind === "result")) return "toolResult";
	return asText(message["role"]) ?? asText(line["type"]) ?? "";
}

/** Lines that speak in the user's name without the user having said it. */
function isInjected(line: JsonObject): boolean {
	return line["isMeta"] === true || line["isCompactSummary"] === true || line["isVisibleInTranscriptOnly"] === true;
}

function modelOf(message: JsonObject): Partial<MessageView> {
	const model = asText(message["model"]);
	const stopReason = asText(message["stop_reason"]);
	const usage = usageOf(asObject(message["usage"]));
	return {
		provider: "anthropic",
		...(model === undefined ? {} : { model }),
		...(stopReason === undefined ? {} : { stopReason }),
		...(usage === undefined ? {} : { usage }),
	};
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
	if (!usage) return undefined;
	return {
		input: asNumber(usage["input_tokens"]) ?? 0,
		output: asNumber(usage["output_tokens"]) ?? 0,
		cacheRead: asNumber(usage["cache_read_input_tokens"]) ?? 0,
		cacheWrite: asNumber(usage["cache_creation_input_tokens"]) ?? 0,
	};
}

function contentBlocks(content: unknown, details: unknown): Block[] {
	if (typeof content === "string") return content === "" ? [] : [{ kind: "text", text: content }];
	const list = asList(content);
	const results = list.filter((block) => asObject(block)?.["type"] === "tool_result").length;
	// What the host noted stands once on the line: with several results it cannot be said whose it is.
	return list.map((block) => readBlock(block, results === 1 ? details : undefined));
}

function readBlock(value: unknown, details: unknown): Block {
	if (typeof value === "string") return { kind: "text", text: value };
	const block = asObject(value) ?? {};
	switch (block["type"]) {
		case "text":
			return { kind: "text", text: asText(block["text"]) ?? "" };
		case "thinking": {
			const signature = asName(block["signature"]);
			const text = asText(block["thinking"]) ?? "";
			return signature === undefined ? { kind: "thinking", text } : { kind: "thinking", text, signature };
		}
		case "image": {
			const mimeType = asText(asObject(block["source"])?.["media_type"]);
			return mimeType === undefined ? { kind: "image" } : { kind: "image", mimeType };
		}
		case "tool_use":
		case "server_tool_use":
			return {
				kind: "call",
				id: asText(block["id"]) ?? "",
				tool: asText(block["name"]) ?? "",
				input: block["input"] ?? {},
			};
		case "tool_result":
			return {
				kind: "result",
				callId: asText(block["tool_use_id"]) ?? "",
				text: resultText(block["content"]),
				isError: block["is_error"] === true,
				...(details === undefined ? {} : { details }),
			};
		default:
			return { kind: "other", name: asText(block["type"]) ?? "" };
	}
}

function resultText(content: unknown): string {
	if (typeof content === "string") return content;
	const texts: string[] = [];
	for (const item of asList(content)) {
		const text = typeof item === "string" ? item : asText(asObject(item)?.["text"]);
		if (text !== undefined) texts.push(text);
	}
	return texts.join("\n");
}
