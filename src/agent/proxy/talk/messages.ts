/** Anthropic's Messages API. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { anthropicToPi } from "../../../message/dialect/anthropic-in.ts";
import type { MadeMessage } from "../../recorded/session-writer.ts";
import { messagesWire } from "../messages-wire.ts";
import { laterCounts, type TokenCounts } from "../wire.ts";
import { type AnswerReader, type MadeAnswer, parsed, type Spoken, type Talk } from "./talk.ts";

export const messagesTalk: Talk = {
	api: "anthropic-messages",
	field: "messages",
	isCall: messagesWire.isCall,
	head: (body) => [body["tools"], body["system"]],
	spoken: (body) => asList(body["messages"]).map((item) => spokenOf(asObject(item) ?? {})),
	made({ speaker, items }, calls) {
		const made = anthropicToPi(items, calls) as unknown as MadeMessage[];
		return speaker === "system" ? made.map(({ content }) => ({ role: speaker, content })) : made;
	},
	answer: () => new MessagesAnswer(),
	withText(item, text) {
		const { content } = item;
		const own = typeof content === "string" ? [{ type: "text", text: content }] : asList(content);
		return { ...item, content: [...own, { type: "text", text }] };
	},
};

function spokenOf(item: JsonObject): Spoken {
	const role = asText(item["role"]);
	if (role === "assistant" || role === "system") return { speaker: role, items: [item] };
	const isResult = asList(item["content"]).some((block) => asObject(block)?.["type"] === "tool_result");
	return { speaker: isResult ? "result" : "user", items: [item] };
}

class MessagesAnswer implements AnswerReader {
	readonly #blocks = new Map<number, JsonObject>();
	readonly #inputs = new Map<number, string>();
	#id: string | undefined;
	#model: string | undefined;
	#usage: TokenCounts | undefined;

	take(data: JsonObject): void {
		const told = messagesWire.told(data);
		this.#id ??= told?.answer;
		this.#model ??= told?.model;
		if (told?.usage) this.#usage = laterCounts(told.usage, this.#usage);
		const at = asNumber(data["index"]) ?? 0;
		if (data["type"] === "message")
			for (const [n, block] of asList(data["content"]).entries()) this.#blocks.set(n, asObject(block) ?? {});
		if (data["type"] === "content_block_start") this.#blocks.set(at, asObject(data["content_block"]) ?? {});
		if (data["type"] === "content_block_delta") this.#add(at, asObject(data["delta"]) ?? {});
	}

	#add(at: number, delta: JsonObject): void {
		const block = this.#blocks.get(at) ?? {};
		const longer = (field: string) => ({ [field]: `${asText(block[field]) ?? ""}${asText(delta[field]) ?? ""}` });
		if (delta["type"] === "text_delta") this.#blocks.set(at, { ...block, ...longer("text") });
		if (delta["type"] === "thinking_delta") this.#blocks.set(at, { ...block, ...longer("thinking") });
		if (delta["type"] === "signature_delta") this.#blocks.set(at, { ...block, ...longer("signature") });
		if (delta["type"] !== "input_json_delta") return;
		this.#inputs.set(at, `${this.#inputs.get(at) ?? ""}${asText(delta["partial_json"]) ?? ""}`);
	}

	made(): MadeAnswer | undefined {
		const content = [...this.#blocks].map(([at, block]) => {
			const input = this.#inputs.get(at);
			return input === undefined ? block : { ...block, input: parsed(input) };
		});
		if (content.length === 0) return undefined;
		const [message] = anthropicToPi([{ role: "assistant", content }]) as unknown as {
			content: MadeAnswer["content"];
		}[];
		return { content: message?.content ?? [], id: asName(this.#id), model: this.#model, usage: this.#usage };
	}
}
