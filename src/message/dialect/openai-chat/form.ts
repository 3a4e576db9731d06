/** OpenAI's chat completions: a message for each result; calls have their `arguments` as JSON text. */

import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { writeJson } from "../../../base/json/write.ts";
import type { Block, MessageView, Speaker } from "../../view.ts";
import { mapTexts, parseArguments, readContent, readResult } from "../content.ts";
import { type MessageForm, MISSING_RESULT, NO_RULES, type PlacedResult } from "../form.ts";

export const openaiForm: MessageForm = {
	rules: { ...NO_RULES, hasSystemMessages: true },
	read: readMessage,
	withCallIds(raw, ids) {
		if (callsIn(raw).length === 0) return raw;
		return { ...raw, tool_calls: callsIn(raw).map((call, at) => withArguments({ ...call, id: ids[at] ?? "" })) };
	},
	withoutResults: (raw) => (raw["role"] === "tool" ? undefined : raw),
	results: (placed) => placed.map(toMessage),
	mapResults(raw, change) {
		if (raw["role"] !== "tool") return raw;
		const content = mapTexts(raw["content"], (text) => change(text, asText(raw["tool_call_id"]) ?? ""));
		return content === raw["content"] ? raw : { ...raw, content };
	},
	unsigned: (raw) => raw,
};

const ROLES: ReadonlyMap<string, readonly [role: string, speaker: Speaker]> = new Map([
	["user", ["user", "user"]],
	["assistant", ["assistant", "assistant"]],
	["tool", ["toolResult", "result"]],
	["system", ["system", "system"]],
	["developer", ["system", "system"]],
]);

function readMessage(raw: JsonObject): MessageView {
	const named = asText(raw["role"]) ?? "";
	const [role, speaker] = ROLES.get(named) ?? [named, "other"];
	const of = { callId: asText(raw["tool_call_id"]) ?? "", isError: false, raw };
	const blocks =
		speaker === "result"
			? readResult(of, raw["content"])
			: [...readReasoning(raw), ...readContent(raw["content"]), ...callsIn(raw).map(readCall), ...readRefusal(raw)];
	return { role, speaker, blocks, isSent: true, isIdentified: true, hasLateResult: false, raw };
}

/** Servers that show their model's thinking differ in the field for it. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning", "reasoning_text"] as const;

export function reasoningIn(raw: JsonObject): string | undefined {
	return REASONING_FIELDS.map((field) => asName(raw[field])).find((text) => text !== undefined);
}

function readReasoning(raw: JsonObject): Block[] {
	const text = reasoningIn(raw);
	return text === undefined ? [] : [{ kind: "thinking", text }];
}

function readRefusal(raw: JsonObject): Block[] {
	const text = asName(raw["refusal"]);
	return text === undefined ? [] : [{ kind: "other", name: "refusal", text }];
}

function readCall(call: JsonObject): Block {
	const fn = asObject(call["function"]) ?? asObject(call["custom"]) ?? {};
	const input = fn["arguments"] ?? fn["input"] ?? {};
	return { kind: "call", id: asText(call["id"]) ?? "", tool: asText(fn["name"]) ?? "", input: parseArguments(input) };
}

function callsIn(raw: JsonObject): readonly JsonObject[] {
	return asList(raw["tool_calls"]).map((call) => asObject(call) ?? {});
}

function withArguments(call: JsonObject): JsonObject {
	const { input, ...fn } = asObject(call["function"]) ?? {};
	if (typeof fn["arguments"] === "string") return call;
	return { ...call, function: { ...fn, arguments: writeJson(fn["arguments"] ?? input ?? {}) } };
}

function toMessage({ callId, result }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, tool_call_id: callId };
	return { role: "tool", tool_call_id: callId, content: MISSING_RESULT };
}
