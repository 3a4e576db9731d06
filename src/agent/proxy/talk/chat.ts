/** OpenAI's chat completions, as most other providers speak them. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import {
	imageOfUrl,
	type MadeBlock,
	type MadeMessage,
	textBlock,
	usageWithCacheInside,
} from "../../recorded/session-writer.ts";
import { type AnswerReader, type CallNames, type MadeAnswer, parsed, type Spoken, type Talk } from "./talk.ts";

const SPEAKERS: Readonly<Record<string, Spoken["speaker"]>> = {
	assistant: "assistant",
	tool: "result",
	function: "result",
	system: "system",
	developer: "system",
};

export const chatTalk: Talk = {
	api: "openai-completions",
	field: "messages",
	isCall: (method, path) => method === "POST" && /\/chat\/completions(?:\?|$)/.test(path),
	head: (body) => [body["tools"] ?? body["functions"]],
	spoken: (body) =>
		asList(body["messages"]).map((each) => {
			const item = asObject(each) ?? {};
			return { speaker: SPEAKERS[asText(item["role"]) ?? ""] ?? "user", items: [item] };
		}),
	made: ({ speaker, items }, calls) => items.map((item) => madeOf(speaker, item, calls)),
	answer: () => new ChatAnswer(),
	withText(item, text) {
		const { content } = item;
		if (typeof content === "string") return { ...item, content: `${content}\n\n${text}` };
		return { ...item, content: [...asList(content), { type: "text", text }] };
	},
};

function madeOf(speaker: Spoken["speaker"], item: JsonObject, calls: CallNames): MadeMessage {
	const content = contentOf(item["content"]);
	if (speaker === "user" || speaker === "system") return { role: speaker, content };
	if (speaker === "assistant") {
		const called = asList(item["tool_calls"]).map((call) => callOf(asObject(call) ?? {}));
		for (const call of called) if (call.type === "toolCall") calls.set(call.id, call.name);
		return { role: "assistant", content: [...thinkingOf(item), ...content, ...called] };
	}
	const toolCallId = asName(item["tool_call_id"]) ?? "";
	const toolName = calls.get(toolCallId) ?? asName(item["name"]) ?? "";
	return { role: "toolResult", toolCallId, toolName, content, isError: false };
}

function contentOf(content: unknown): MadeBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((each) => {
		const part = asObject(each) ?? {};
		const url = asText(asObject(part["image_url"])?.["url"]);
		return (url === undefined ? undefined : imageOfUrl(url)) ?? textBlock(asText(part["text"]) ?? "");
	});
}

function thinkingOf(item: JsonObject): MadeBlock[] {
	const thinking = asName(item["reasoning_content"]) ?? asName(item["reasoning"]);
	return thinking === undefined ? [] : [{ type: "thinking", thinking }];
}

function callOf(call: JsonObject): MadeBlock {
	const named = asObject(call["function"]) ?? {};
	const input = parsed(asText(named["arguments"]) ?? "");
	return { type: "toolCall", id: asName(call["id"]) ?? "", name: asName(named["name"]) ?? "", arguments: input };
}

/** The pieces of a stream are put together to the message that an answer without a stream is. */
class ChatAnswer implements AnswerReader {
	#id: string | undefined;
	#model: string | undefined;
	#usage: JsonObject | undefined;
	readonly #texts: Record<string, string> = {};
	readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();

	take(data: JsonObject): void {
		this.#id ??= asName(data["id"]);
		this.#model ??= asName(data["model"]);
		this.#usage = asObject(data["usage"]) ?? this.#usage;
		const choice = asObject(asList(data["choices"])[0]);
		const said = asObject(choice?.["delta"]) ?? asObject(choice?.["message"]);
		if (!said) return;
		for (const field of ["content", "reasoning_content", "reasoning"]) {
			const text = asText(said[field]);
			if (text !== undefined) this.#texts[field] = `${this.#texts[field] ?? ""}${text}`;
		}
		for (const [n, each] of asList(said["tool_calls"]).entries()) this.#call(n, asObject(each) ?? {});
	}

	#call(n: number, piece: JsonObject): void {
		const at = asNumber(piece["index"]) ?? n;
		const call = this.#calls.get(at) ?? { id: "", name: "", arguments: "" };
		const named = asObject(piece["function"]) ?? {};
		call.id ||= asText(piece["id"]) ?? "";
		call.name += asText(named["name"]) ?? "";
		call.arguments += asText(named["arguments"]) ?? "";
		this.#calls.set(at, call);
	}

	made(): MadeAnswer | undefined {
		const called = [...this.#calls.values()].map(({ id, ...named }) => callOf({ id, function: named }));
		const content = [...thinkingOf(this.#texts), ...textBlock(this.#texts["content"] ?? ""), ...called];
		if (content.length === 0) return undefined;
		return { content, id: this.#id, model: this.#model, usage: this.#usage && usageOf(this.#usage) };
	}
}

function usageOf(usage: JsonObject): MadeAnswer["usage"] {
	const count = (of: JsonObject | undefined, name: string) => asNumber(of?.[name]);
	return usageWithCacheInside({
		input: count(usage, "prompt_tokens") ?? 0,
		output: count(usage, "completion_tokens") ?? 0,
		cacheRead: count(asObject(usage["prompt_tokens_details"]), "cached_tokens"),
		reasoning: count(asObject(usage["completion_tokens_details"]), "reasoning_tokens"),
	});
}
