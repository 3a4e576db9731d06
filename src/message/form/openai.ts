/** OpenAI's chat completions: a message for each result, calls carry `arguments` as JSON text. */
import { asList, asObject, asText, type JsonObject } from "../../json/read.ts";
import { MISSING_RESULT, type PlacedResult, type WireFormat, type WireMessage } from "./format.ts";

export const openaiFormat: WireFormat = {
	read(raw) {
		const roleName = asText(raw["role"]) ?? "";
		const role = ROLES[roleName] ?? "other";
		const texts = textsOf(raw["content"]);
		const parts = Array.isArray(raw["content"]) ? raw["content"].length : 0;
		const result = {
			callId: asText(raw["tool_call_id"]) ?? "",
			text: texts.join("\n"),
			isError: false,
			raw,
		};
		return {
			role,
			roleName,
			texts: role === "result" ? [] : texts,
			thinking: [],
			calls: callsOf(raw).map((call) => ({
				id: asText(call["id"]) ?? "",
				tool: asText(asObject(call["function"])?.["name"]) ?? "",
			})),
			results: role === "result" ? [result] : [],
			others: Math.max(0, parts - texts.length) + (asText(raw["refusal"]) ? 1 : 0),
			unsent: false,
			identified: true,
			lateResult: false,
			raw,
		};
	},
	withCallIds(raw, ids) {
		if (callsOf(raw).length === 0) return raw;
		return { ...raw, tool_calls: callsOf(raw).map((call, at) => withArguments({ ...call, id: ids[at] ?? "" })) };
	},
	withoutResults: (raw) => (raw["role"] === "tool" ? undefined : raw),
	results: (placed) => placed.map(toMessage),
	unsigned: (raw) => raw,
};

const ROLES: Readonly<Record<string, WireMessage["role"]>> = {
	user: "user",
	assistant: "assistant",
	tool: "result",
	system: "system",
	developer: "system",
};

function callsOf(raw: JsonObject): readonly JsonObject[] {
	return asList(raw["tool_calls"]).map((call) => asObject(call) ?? {});
}

function textsOf(content: unknown): string[] {
	if (typeof content === "string") return content === "" ? [] : [content];
	return asList(content).flatMap((part) => {
		const text = typeof part === "string" ? part : asText(asObject(part)?.["text"]);
		return text === undefined ? [] : [text];
	});
}

function withArguments(call: JsonObject): JsonObject {
	const { input, ...fn } = asObject(call["function"]) ?? {};
	if (typeof fn["arguments"] === "string") return call;
	return { ...call, function: { ...fn, arguments: JSON.stringify(fn["arguments"] ?? input ?? {}) } };
}

function toMessage({ callId, result }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, tool_call_id: callId };
	return { role: "tool", tool_call_id: callId, content: MISSING_RESULT };
}
