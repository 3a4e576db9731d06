/** Pi's messages, as its `context` callback hands them over: Pi itself turns them into a provider's form afterwards. */
import { asList, asName, asObject, asText, type JsonObject } from "../../json/read.ts";
import { MISSING_RESULT, type PlacedResult, type WireFormat, type WireMessage, type WireResult } from "./format.ts";

export const piFormat: WireFormat = {
	read(raw) {
		const roleName = asText(raw["role"]) ?? "";
		const role = ROLES[roleName] ?? "other";
		const blocks = blocksOf(raw);
		const texts = blocks.filter((block) => block["type"] === "text").map((block) => asText(block["text"]) ?? "");
		const isResult = role === "result";
		return {
			role,
			roleName,
			texts: isResult ? [] : texts,
			thinking: blocks
				.filter(isThinking)
				.map((block) => ({ signed: SIGNATURES.some((field) => asName(block[field])) })),
			calls: blocks
				.filter(isCall)
				.map((block) => ({ id: asText(block["id"]) ?? "", tool: asText(block["name"]) ?? "" })),
			results: isResult ? [readResult(raw, texts)] : [],
			others: blocks.filter((block) => block["type"] !== "text" && !isThinking(block) && !isCall(block)).length,
			unsent: isUnsent(raw),
			identified: isIdentified(raw),
			lateResult: false,
			raw,
		};
	},
	withCallIds(raw, ids) {
		let next = 0;
		return mapContent(raw, (block) => {
			if (!isCall(block)) return block;
			const id = ids[next++] ?? "";
			if (block["type"] === "tool_use") return { ...block, id };
			const { input, ...rest } = block;
			return { ...rest, id, arguments: block["arguments"] ?? input ?? {} };
		});
	},
	withoutResults: (raw) => (raw["role"] === "toolResult" ? undefined : raw),
	results: (placed) => placed.map(toMessage),
	unsigned: (raw) =>
		mapContent(raw, (block) => {
			if (!isThinking(block)) return block;
			const { thinkingSignature: _, signature: __, ...rest } = block;
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
const SIGNATURES = ["thinkingSignature", "signature"] as const;

/** A message reduced to role and content, as weft itself sends it, has no place for who wrote it; part of it is not enough. */
function isIdentified(raw: JsonObject): boolean {
	const known = IDENTITY.filter((field) => asName(raw[field]) !== undefined).length;
	return known === 0 || known === IDENTITY.length;
}

/** Messages of other hosts keep their own blocks. */
function isCall(block: JsonObject): boolean {
	return block["type"] === "toolCall" || block["type"] === "tool_use";
}

function isThinking(block: JsonObject): boolean {
	return block["type"] === "thinking";
}

function blocksOf(raw: JsonObject): readonly JsonObject[] {
	if (raw["role"] === "bashExecution") return [{ type: "text", text: asText(raw["command"]) ?? "" }];
	const content = raw["content"] ?? raw["summary"];
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return asList(content).map((block) =>
		typeof block === "string" ? { type: "text", text: block } : (asObject(block) ?? {}),
	);
}

function readResult(raw: JsonObject, texts: readonly string[]): WireResult {
	return {
		callId: asText(raw["toolCallId"]) ?? "",
		text: texts.join("\n"),
		isError: raw["isError"] === true,
		raw,
	};
}

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
