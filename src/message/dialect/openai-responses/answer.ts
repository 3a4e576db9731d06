/** Answers of OpenAI's Responses API. The last event of a stream holds the whole answer. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import type { Usage } from "../../usage.ts";
import { parseArguments } from "../content.ts";
import {
	type AnswerEvent,
	type AnswerReader,
	type ModelAnswer,
	type RenderedAnswer,
	renderJson,
	renderStream,
} from "../dialect.ts";
import { imageOfUrl, type PiBlock, textBlock } from "../pi/message.ts";

/** True: `readResponsesEvent` reads something from events of this name. */
export function isResponsesEvent(name: string): boolean {
	return name === "response.completed" || name === "response.incomplete";
}

export function readResponsesEvent(data: JsonObject): AnswerEvent | undefined {
	const response = responseIn(data);
	const usage = asObject(response?.["usage"]);
	if (!response || !usage) return undefined;
	return {
		answer: asName(response["id"]),
		model: asName(response["model"]),
		usage: readResponsesUsage(usage),
		isFinal: true,
	};
}

function responseIn(data: JsonObject): JsonObject | undefined {
	return data["object"] === "response" ? data : asObject(data["response"]);
}

function readResponsesUsage(usage: JsonObject): Usage {
	const cacheRead = asNumber(asObject(usage["input_tokens_details"])?.["cached_tokens"]) ?? 0;
	const input = asNumber(usage["input_tokens"]) ?? 0;
	const output = asNumber(usage["output_tokens"]) ?? 0;
	return { input: Math.max(0, input - cacheRead), cacheRead, cacheWrite: 0, output };
}

/** The event that ends an answer, with its prompt larger by `tokens` that count as read from the cache. */
export function raiseResponsesUsage(data: JsonObject, tokens: number): JsonObject {
	const response = asObject(data["response"]) ?? {};
	const usage = asObject(response["usage"]) ?? {};
	const details = asObject(usage["input_tokens_details"]);
	const more = (value: unknown) => (asNumber(value) ?? 0) + tokens;
	const raised = {
		...usage,
		input_tokens: more(usage["input_tokens"]),
		total_tokens: more(usage["total_tokens"]),
		input_tokens_details: { ...details, cached_tokens: more(details?.["cached_tokens"]) },
	};
	return { ...data, response: { ...response, usage: raised } };
}

export class ResponsesAnswer implements AnswerReader {
	#response: JsonObject | undefined;
	#usage: Usage | undefined;
	readonly #items: JsonObject[] = [];

	take(data: JsonObject): void {
		if (data["type"] === "response.output_item.done") this.#items.push(asObject(data["item"]) ?? {});
		const event = readResponsesEvent(data);
		if (!event) return;
		this.#usage = event.usage;
		this.#response = responseIn(data);
	}

	finish(): ModelAnswer | undefined {
		const output = asList(this.#response?.["output"]).map((item) => asObject(item) ?? {});
		const content = (output.length > 0 ? output : this.#items).flatMap((item) => answerBlocks(item) ?? []);
		if (content.length === 0) return undefined;
		const [id, model] = [asName(this.#response?.["id"]), asName(this.#response?.["model"])];
		return { content, id, model, usage: this.#usage };
	}
}

const RENDERED_USAGE = {
	input_tokens: 1,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: 1,
	output_tokens_details: { reasoning_tokens: 0 },
	total_tokens: 2,
};

/** An answer of one item, as the provider would send it to this request. */
export function renderResponsesAnswer(
	request: JsonObject,
	{ id, item }: { readonly id: string; readonly item: JsonObject },
): RenderedAnswer {
	const response = { id, object: "response", model: request["model"], output: [] };
	const done = { ...response, status: "completed", output: [item], usage: RENDERED_USAGE };
	if (request["stream"] !== true) return renderJson(done);
	const events: JsonObject[] = [
		{ type: "response.created", response: { ...response, status: "in_progress" } },
		...itemEvents(item),
		{ type: "response.output_item.done", output_index: 0, item },
		{ type: "response.completed", response: done },
	];
	return renderStream(events.map((event, sequence_number) => ({ ...event, sequence_number })));
}

function itemEvents(item: JsonObject): JsonObject[] {
	if (item["type"] !== "message") return [{ type: "response.output_item.added", output_index: 0, item }];
	const at = { item_id: item["id"], output_index: 0, content_index: 0 };
	const empty = { ...item, status: "in_progress", content: [] };
	return [
		{ type: "response.output_item.added", output_index: 0, item: empty },
		...asList(item["content"]).flatMap((value) => {
			const part = asObject(value) ?? {};
			return [
				{ type: "response.content_part.added", ...at, part: { ...part, text: "" } },
				{ type: "response.output_text.delta", ...at, delta: part["text"] },
				{ type: "response.output_text.done", ...at, text: part["text"] },
			];
		}),
	];
}

/** An item by which the model says a text. */
export function textItem(id: string, text: string): JsonObject {
	const content = [{ type: "output_text", text, annotations: [] }];
	return { type: "message", id, role: "assistant", status: "completed", content };
}

/** The blocks that an item adds to the model's answer; undefined: it is no part of one. */
export function answerBlocks(item: JsonObject): PiBlock[] | undefined {
	switch (item["type"]) {
		// The type may be left out.
		case undefined:
		case "message":
			return contentBlocks(item["content"]);
		case "reasoning": {
			const texts = [...asList(item["summary"]), ...asList(item["content"])];
			const thinking = texts.flatMap((text) => asName(asObject(text)?.["text"]) ?? []).join("\n\n");
			return thinking === "" ? [] : [{ type: "thinking", thinking }];
		}
		case "function_call":
			return [callBlock(item, asText(item["name"]) ?? "", readArguments(item["arguments"]))];
		case "custom_tool_call":
			return [callBlock(item, asText(item["name"]) ?? "", { input: item["input"] })];
		case "local_shell_call":
			return [callBlock(item, "local_shell", asObject(item["action"]) ?? {})];
		case "tool_search_call":
			return [callBlock(item, "tool_search", readArguments(item["arguments"]))];
		default:
			return undefined;
	}
}

function callBlock(item: JsonObject, name: string, input: JsonObject): PiBlock {
	const id = asName(item["call_id"]) ?? asName(item["id"]) ?? "";
	return { type: "toolCall", id, name, arguments: input };
}

function readArguments(given: unknown): JsonObject {
	return asObject(parseArguments(given)) ?? { input: given };
}

export function contentBlocks(content: unknown): PiBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((value): PiBlock[] => {
		const part = asObject(value) ?? {};
		const url = asName(part["image_url"]);
		const image = url === undefined ? undefined : imageOfUrl(url);
		if (image) return [image];
		return textBlock(asText(part["text"]) ?? (url === undefined ? "" : `[image] ${url}`));
	});
}

/** The output of a call: a text, a list of parts, or an object around either. */
export function outputBlocks(output: unknown): PiBlock[] {
	const content = typeof output === "string" || Array.isArray(output) ? output : asObject(output)?.["content"];
	if (typeof content === "string" || asList(content).length > 0) return contentBlocks(content);
	return textBlock(output == null ? "" : JSON.stringify(output));
}

export function isOutput(item: JsonObject): boolean {
	return asText(item["type"])?.endsWith("_output") ?? false;
}
