/** OpenAI's chat completions, which most other providers speak too. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { separateCache, type Usage } from "../../usage.ts";
import type { AnswerReader, Dialect, ModelAnswer, RequestMessage } from "../dialect.ts";
import { textBlock } from "../pi/message.ts";
import { REASONING_FIELDS } from "./form.ts";
import { callBlock, chatToPi, thinkingBlocks } from "./to-pi.ts";

const SPEAKERS: Readonly<Record<string, RequestMessage["speaker"]>> = {
	assistant: "assistant",
	tool: "result",
	function: "result",
	system: "system",
	developer: "system",
};

export const chatDialect: Dialect = {
	api: "openai-completions",
	field: "messages",
	isCall: (method, path) => method === "POST" && /\/chat\/completions(?:\?|$)/.test(path),
	readHead: (body) => [body["tools"] ?? body["functions"]],
	readMessages: (body) =>
		asList(body["messages"]).map((each) => {
			const item = asObject(each) ?? {};
			return { speaker: SPEAKERS[asText(item["role"]) ?? ""] ?? "user", items: [item] };
		}),
	toPi: ({ speaker, items }, calls) => items.map((item) => chatToPi(speaker, item, calls)),
	openAnswer: () => new ChatAnswer(),
	appendText(item, text) {
		const { content } = item;
		if (typeof content === "string") return { ...item, content: `${content}\n\n${text}` };
		return { ...item, content: [...asList(content), { type: "text", text }] };
	},
};

const TEXT_FIELDS = ["content", ...REASONING_FIELDS];

/** Answers of chat completions: the pieces of a stream add up to the message that an answer without a stream is. */
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
		const piece = asObject(choice?.["delta"]) ?? asObject(choice?.["message"]);
		if (!piece) return;
		for (const field of TEXT_FIELDS) {
			const text = asText(piece[field]);
			if (text !== undefined) this.#texts[field] = `${this.#texts[field] ?? ""}${text}`;
		}
		for (const [n, each] of asList(piece["tool_calls"]).entries()) this.#addCall(n, asObject(each) ?? {});
	}

	#addCall(n: number, piece: JsonObject): void {
		const at = asNumber(piece["index"]) ?? n;
		const call = this.#calls.get(at) ?? { id: "", name: "", arguments: "" };
		const named = asObject(piece["function"]) ?? {};
		call.id ||= asText(piece["id"]) ?? "";
		call.name += asText(named["name"]) ?? "";
		call.arguments += asText(named["arguments"]) ?? "";
		this.#calls.set(at, call);
	}

	finish(): ModelAnswer | undefined {
		const called = [...this.#calls.values()].map(({ id, ...named }) => callBlock({ id, function: named }));
		const content = [...thinkingBlocks(this.#texts), ...textBlock(this.#texts["content"] ?? ""), ...called];
		if (content.length === 0) return undefined;
		return { content, id: this.#id, model: this.#model, usage: this.#usage && readChatUsage(this.#usage) };
	}
}

function readChatUsage(usage: JsonObject): Usage {
	return separateCache({
		input: asNumber(usage["prompt_tokens"]) ?? 0,
		output: asNumber(usage["completion_tokens"]) ?? 0,
		cacheRead: asNumber(asObject(usage["prompt_tokens_details"])?.["cached_tokens"]),
		reasoning: asNumber(asObject(usage["completion_tokens_details"])?.["reasoning_tokens"]),
	});
}
