/**
 * Pi's messages for Anthropic, byte for byte as Pi itself sends them, cache marks aside. Not covered: options that Pi's list of models
 * switches on for single providers (thinking as text, an empty `reasoning_content`, answers between results and the user).
 */
import type { JsonObject } from "../../../base/json/read.ts";
import { blocksOf } from "../content.ts";
import { clean, fitToModel, isImage, speaks, type TargetModel, textsOf } from "../pi/fit-to-model.ts";

/** `messages`: of the roles user, assistant and toolResult, failed answers among them. Without a target each answer keeps its own model. */
export function piToAnthropic(messages: readonly JsonObject[], target?: TargetModel): JsonObject[] {
	const rename = (id: string) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
	const sent: { role: string; content: unknown }[] = [];
	let results: JsonObject[] = [];
	for (const { role, ...message } of fitToModel(messages, target, rename)) {
		if (role === "toolResult") {
			// Results that follow each other are one message.
			if (results.length === 0) sent.push({ role: "user", content: results });
			results.push(anthropicResult(message));
			continue;
		}
		results = [];
		const { content } = message;
		if (typeof content === "string" && role === "user") {
			if (speaks(content)) sent.push({ role, content: clean(content) });
			continue;
		}
		const blocks = blocksOf(content).flatMap(anthropicBlock);
		// Pi checks the user's texts for blanks after it removed halves of characters, those of answers before.
		const said = role === "user" ? blocks.filter(({ type, text }) => type !== "text" || speaks(text)) : blocks;
		if (said.length > 0) sent.push({ role: String(role), content: said });
	}
	return sent;
}

function anthropicResult({ toolCallId, content, isError }: JsonObject): JsonObject {
	const blocks = blocksOf(content);
	const hasText = blocks.some(({ type }) => type === "text");
	const shown = blocks.some(isImage)
		? [...(hasText ? [] : [{ type: "text", text: "(see attached image)" }]), ...blocks.flatMap(resultBlock)]
		: clean(textsOf(blocks).join("\n"));
	return { type: "tool_result", tool_use_id: toolCallId, content: shown, is_error: isError };
}

function resultBlock(block: JsonObject): JsonObject[] {
	return block["type"] === "text" ? [{ type: "text", text: clean(block["text"]) }] : anthropicBlock(block);
}

function anthropicBlock(block: JsonObject): JsonObject[] {
	const { type, redacted, thinkingSignature: signature } = block;
	switch (type) {
		case "text":
			return speaks(block["text"]) ? [{ type, text: clean(block["text"]) }] : [];
		case "image":
			return [{ type, source: { type: "base64", media_type: block["mimeType"], data: block["data"] } }];
		case "thinking": {
			if (redacted) return [{ type: "redacted_thinking", data: signature }];
			const thinking = clean(block["thinking"]);
			if (speaks(signature)) return [{ type, thinking, signature }];
			return speaks(block["thinking"]) ? [{ type: "text", text: thinking }] : [];
		}
		case "toolCall":
			return [{ type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] ?? {} }];
		default:
			return [];
	}
}
