/** OpenAI's Responses API. What a model says is several items there: thoughts, texts, calls. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { imageOfUrl, type MadeBlock, type MadeMessage, textBlock } from "../../recorded/session-writer.ts";
import { responsesWire } from "../responses-wire.ts";
import type { TokenCounts } from "../wire.ts";
import { type AnswerReader, type CallNames, type MadeAnswer, parsed, type Spoken, type Talk } from "./talk.ts";

export const responsesTalk: Talk = {
	api: "openai-responses",
	field: "input",
	isCall: responsesWire.isCall,
	head: (body) => [body["tools"], body["instructions"]],
	spoken(body) {
		const { input } = body;
		const items = typeof input === "string" ? [{ role: "user", content: input }] : asList(input);
		const spoken: { speaker: Spoken["speaker"]; items: JsonObject[] }[] = [];
		for (const each of items) {
			const item = asObject(each) ?? {};
			const speaker = speakerOf(item);
			const last = spoken.at(-1);
			if (speaker === "assistant" && last?.speaker === "assistant") last.items.push(item);
			else spoken.push({ speaker, items: [item] });
		}
		return spoken;
	},
	made({ speaker, items }, calls): MadeMessage[] {
		if (speaker === "assistant") return [{ role: "assistant", content: answerBlocks(items, calls) }];
		return items.map((item): MadeMessage => {
			if (speaker !== "result") return { role: speaker, content: contentOf(item["content"]) };
			const toolCallId = asName(item["call_id"]) ?? "";
			const content = contentOf(item["output"]);
			return { role: "toolResult", toolCallId, toolName: calls.get(toolCallId) ?? "", content, isError: false };
		});
	},
	answer: () => new ResponsesAnswer(),
	withText(item, text) {
		const { content } = item;
		const own = typeof content === "string" ? [{ type: "input_text", text: content }] : asList(content);
		return { ...item, content: [...own, { type: "input_text", text }] };
	},
};

function speakerOf({ type, role }: JsonObject): Spoken["speaker"] {
	const kind = asText(type) ?? "message";
	if (kind.endsWith("_output")) return "result";
	if (kind !== "message") return "assistant";
	if (role === "system" || role === "developer") return "system";
	return role === "assistant" ? "assistant" : "user";
}

function contentOf(content: unknown): MadeBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((each) => {
		const part = asObject(each) ?? {};
		return imageOfUrl(asText(part["image_url"]) ?? "") ?? textBlock(asText(part["text"]) ?? "");
	});
}

function answerBlocks(items: readonly JsonObject[], calls: CallNames): MadeBlock[] {
	return items.flatMap((item): MadeBlock[] => {
		const type = asText(item["type"]) ?? "message";
		if (type === "message") return contentOf(item["content"]);
		if (type === "reasoning") {
			const thinking = asList(item["summary"]).map((part) => asText(asObject(part)?.["text"]) ?? "");
			return thinking.length === 0 ? [] : [{ type: "thinking", thinking: thinking.join("\n") }];
		}
		const [id, name] = [asName(item["call_id"]), asName(item["name"])];
		if (!type.endsWith("_call") || id === undefined || name === undefined) return [];
		calls.set(id, name);
		const input = parsed(asText(item["arguments"]) ?? "");
		return [{ type: "toolCall", id, name, arguments: type === "function_call" ? input : { input: item["input"] } }];
	});
}

/** The last event of a stream holds the whole answer. */
class ResponsesAnswer implements AnswerReader {
	#response: JsonObject | undefined;
	#usage: TokenCounts | undefined;
	readonly #items: JsonObject[] = [];

	take(data: JsonObject): void {
		if (data["type"] === "response.output_item.done") this.#items.push(asObject(data["item"]) ?? {});
		const told = responsesWire.told(data);
		if (!told) return;
		this.#usage = told.usage;
		this.#response = data["object"] === "response" ? data : asObject(data["response"]);
	}

	made(): MadeAnswer | undefined {
		const output = asList(this.#response?.["output"]).map((item) => asObject(item) ?? {});
		const content = answerBlocks(output.length > 0 ? output : this.#items, new Map());
		if (content.length === 0) return undefined;
		const [id, model] = [asName(this.#response?.["id"]), asName(this.#response?.["model"])];
		return { content, id, model, usage: this.#usage };
	}
}
