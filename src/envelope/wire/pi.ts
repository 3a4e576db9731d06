/** Pi's messages, as its `context` callback hands them over: Pi itself turns them into a provider's form afterwards. */
import { asList, asName, asObject, asText, type JsonObject } from "../../transcript/json.ts";
import { viewMessage } from "../../transcript/message.ts";
import { MISSING_RESULT, type PlacedResult, type WireFormat, type WireMessage, type WireResult } from "./format.ts";

export const piFormat: WireFormat = {
	read(raw) {
		const view = viewMessage({ form: "pi", raw });
		const results: WireResult[] = [];
		const calls: { id: string; tool: string }[] = [];
		const thinking: { signed: boolean }[] = [];
		const texts: string[] = view.command ? [view.command.command] : [];
		let others = 0;
		for (const block of view.blocks) {
			if (block.kind === "text") texts.push(block.text);
			else if (block.kind === "thinking") thinking.push({ signed: block.signature !== undefined });
			else if (block.kind === "call") calls.push({ id: block.id, tool: block.tool });
			else if (block.kind === "result")
				results.push({ callId: block.callId, text: block.text, isError: block.isError, raw });
			else others++;
		}
		return {
			role: ROLES[view.role] ?? "other",
			roleName: view.role,
			texts,
			thinking,
			calls,
			results,
			others,
			unsent: isUnsent(raw),
			identified: view.role !== "assistant" || IDENTITY.every((field) => asName(raw[field]) !== undefined),
			lateResult: false,
			raw,
		};
	},
	withCallIds(raw, ids) {
		let next = 0;
		return mapContent(raw, (block) => {
			if (block["type"] !== "toolCall") return block;
			const { input, ...rest } = block;
			return { ...rest, id: ids[next++] ?? "", arguments: block["arguments"] ?? input ?? {} };
		});
	},
	withoutResults: (raw) => (raw["role"] === "toolResult" ? undefined : raw),
	results: (placed) => placed.map(toMessage),
	unsigned: (raw) =>
		mapContent(raw, (block) => {
			if (block["type"] !== "thinking") return block;
			const { thinkingSignature: _, ...rest } = block;
			return rest;
		}),
};

/** Pi sends all of these in the user's name. */
const ROLES: Readonly<Record<string, WireMessage["role"]>> = {
	user: "user",
	custom: "user",
	bashExecution: "user",
	compactionSummary: "user",
	branchSummary: "user",
	assistant: "assistant",
	toolResult: "result",
	system: "system",
};

const IDENTITY = ["api", "provider", "model"] as const;

function isUnsent(raw: JsonObject): boolean {
	if (raw["role"] === "bashExecution") return raw["excludeFromContext"] === true;
	return raw["role"] === "assistant" && (raw["stopReason"] === "error" || raw["stopReason"] === "aborted");
}

function mapContent(raw: JsonObject, change: (block: JsonObject) => JsonObject): JsonObject {
	if (!Array.isArray(raw["content"])) return raw;
	return { ...raw, content: asList(raw["content"]).map((block) => change(asObject(block) ?? {})) };
}

function toMessage({ callId, tool, result, message }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, toolCallId: callId };
	return {
		role: "toolResult",
		toolCallId: callId,
		toolName: asText(tool) ?? "",
		content: [{ type: "text", text: MISSING_RESULT }],
		isError: true,
		// Of the call: a clock would make other bytes each time.
		timestamp: message["timestamp"] ?? 0,
	};
}
