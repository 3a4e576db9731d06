/** Anthropic's Messages API: results are blocks of the user's next message, calls carry `input`. */
import { asList, asObject, asText, type JsonObject } from "../../json/read.ts";
import { MISSING_RESULT, type PlacedResult, type WireFormat, type WireMessage, type WireResult } from "./format.ts";

export const anthropicFormat: WireFormat = {
	read(raw) {
		const roleName = asText(raw["role"]) ?? "";
		const blocks = blocksOf(raw["content"]);
		const results = blocks.filter(isResult).map(readResult);
		const firstOther = blocks.findIndex((block) => !isResult(block));
		return {
			role: roleOf(roleName, results.length > 0),
			roleName,
			texts: blocks.filter((block) => block["type"] === "text").map((block) => asText(block["text"]) ?? ""),
			thinking: blocks
				.filter((block) => block["type"] === "thinking")
				.map((block) => ({ signed: Boolean(asText(block["signature"])) })),
			calls: blocks
				.filter(isCall)
				.map((block) => ({ id: asText(block["id"]) ?? "", tool: asText(block["name"]) ?? "" })),
			results,
			others: blocks.filter((block) => !KNOWN.has(asText(block["type"]) ?? "")).length,
			unsent: false,
			identified: true,
			lateResult: firstOther !== -1 && blocks.slice(firstOther).some(isResult),
			raw,
		};
	},
	withCallIds(raw, ids) {
		let next = 0;
		return {
			...raw,
			content: blocksOf(raw["content"]).map((block) => {
				if (!isCall(block)) return block;
				const { arguments: args, ...rest } = block;
				return { ...rest, id: ids[next++] ?? "", input: block["input"] ?? args ?? {} };
			}),
		};
	},
	withoutResults(raw) {
		const content = blocksOf(raw["content"]).filter((block) => !isResult(block));
		return content.length === 0 ? undefined : { ...raw, content };
	},
	results: (placed) => [{ role: "user", content: placed.map(toBlock) }],
	// Its messages do not say who thought: nothing can be known to be wrong.
	unsigned: (raw) => raw,
};

const KNOWN = new Set(["text", "thinking", "tool_use", "tool_result"]);

function roleOf(role: string, hasResults: boolean): WireMessage["role"] {
	if (role === "assistant" || role === "system") return role;
	if (role !== "user") return "other";
	return hasResults ? "result" : "user";
}

function blocksOf(content: unknown): readonly JsonObject[] {
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return asList(content).map((block) =>
		typeof block === "string" ? { type: "text", text: block } : (asObject(block) ?? {}),
	);
}

/** Tools that the provider runs itself have their results in the same message. */
function isCall(block: JsonObject): boolean {
	return block["type"] === "tool_use";
}

function isResult(block: JsonObject): boolean {
	return block["type"] === "tool_result";
}

function readResult(block: JsonObject): WireResult {
	const texts = blocksOf(block["content"]).map((each) => asText(each["text"]) ?? "");
	return {
		callId: asText(block["tool_use_id"]) ?? "",
		text: texts.join("\n"),
		isError: block["is_error"] === true,
		raw: block,
	};
}

function toBlock({ callId, result }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, tool_use_id: callId };
	return { type: "tool_result", tool_use_id: callId, content: MISSING_RESULT, is_error: true };
}
