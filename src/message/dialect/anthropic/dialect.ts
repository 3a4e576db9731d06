/** Anthropic's Messages API. */
import { asList, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import type { Dialect, RequestMessage } from "../dialect.ts";
import { AnthropicAnswer, blockIds } from "./answer.ts";
import { anthropicToPi, hasResult } from "./to-pi.ts";

export const anthropicDialect: Dialect = {
	api: "anthropic-messages",
	field: "messages",
	isCall: (method, path) => method === "POST" && /\/messages(?:\?|$)/.test(path),
	readHead: (body) => [body["tools"], body["system"]],
	readMessages: (body) => itemsOf(body).map(readMessage),
	toPi({ speaker, items }, calls) {
		const messages = anthropicToPi(items, calls);
		return speaker === "system" ? messages.map(({ content }) => ({ role: speaker, content })) : messages;
	},
	openAnswer: () => new AnthropicAnswer(),
	appendText(item, text) {
		const { content } = item;
		const own = typeof content === "string" ? [{ type: "text", text: content }] : asList(content);
		return { ...item, content: [...own, { type: "text", text }] };
	},
};

function readMessage(item: JsonObject): RequestMessage {
	const role = asText(item["role"]);
	if (role === "assistant" || role === "system") return { speaker: role, items: [item] };
	return { speaker: hasResult(item["content"]) ? "result" : "user", items: [item] };
}

export function itemsOf(request: JsonObject): readonly JsonObject[] {
	return asList(request["messages"]).map((message) => asObject(message) ?? {});
}

export function callIds(messages: readonly JsonObject[]): string[] {
	return messages.flatMap(({ content }) => blockIds(asList(content), "tool_use", "id"));
}

/** Ids of the calls that results answer. */
export function resultIds(messages: readonly JsonObject[]): string[] {
	return messages.flatMap(({ content }) => blockIds(asList(content), "tool_result", "tool_use_id"));
}

/**
 * A value as it counts for the cache. The mark moves to a later block with each request, and the text that had it changes from a list of
 * blocks to a plain text, so every text becomes a block.
 */
export function withoutCacheMarks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutCacheMarks);
	const object = asObject(value);
	if (!object) return value;
	const fields = Object.entries(object).flatMap(([key, field]) => {
		if (key === "cache_control") return [];
		const isText = key === "content" && typeof field === "string";
		return [[key, isText ? [{ type: "text", text: field }] : withoutCacheMarks(field)]];
	});
	return Object.fromEntries(fields);
}
