/** Answers of Anthropic's Messages API: streamed events, or one message. */
import { asList, asName, asNumber, asObject, asText, asTokens, type JsonObject } from "../../../base/json/read.ts";
import { newerUsage, type Usage } from "../../usage.ts";
import { parseArguments } from "../content.ts";
import {
	type AnswerEvent,
	type AnswerReader,
	type ModelAnswer,
	type RenderedAnswer,
	renderJson,
	renderStream,
} from "../dialect.ts";
import { answerBlocks } from "./to-pi.ts";

const ANSWER_EVENTS = new Set(["message_start", "content_block_start", "message_delta"]);

/** True: `readAnthropicEvent` reads something from events of this name. */
export function isAnthropicEvent(name: string): boolean {
	return ANSWER_EVENTS.has(name);
}

export function readAnthropicEvent(data: JsonObject): AnswerEvent | undefined {
	if (data["type"] === "content_block_start") return { calls: blockIds([data["content_block"]], "tool_use", "id") };
	if (data["type"] === "message_delta") return { usage: readAnthropicUsage(data["usage"]), isFinal: true };
	// An answer without a stream is the message itself.
	const message = data["type"] === "message_start" ? asObject(data["message"]) : data;
	if (message?.["type"] !== "message") return undefined;
	return {
		answer: asName(message["id"]),
		model: asName(message["model"]),
		usage: readAnthropicUsage(message["usage"]),
		calls: blockIds(asList(message["content"]), "tool_use", "id"),
		isFinal: data["type"] === "message",
	};
}

/** Ids of the blocks of one type, from this field. */
export function blockIds(content: readonly unknown[], type: string, field: string): string[] {
	return content.flatMap((value) => {
		const block = asObject(value);
		return block?.["type"] === type ? (asName(block[field]) ?? []) : [];
	});
}

/** The event that ends an answer, with its prompt larger by `tokens` that count as read from the cache. */
export function raiseAnthropicUsage(data: JsonObject, tokens: number, usage: Usage): JsonObject {
	const whole = { input_tokens: usage.input, cache_creation_input_tokens: usage.cacheWrite };
	const raised = { ...whole, ...asObject(data["usage"]), cache_read_input_tokens: usage.cacheRead + tokens };
	return { ...data, usage: raised };
}

export class AnthropicAnswer implements AnswerReader {
	readonly #blocks = new Map<number, JsonObject>();
	readonly #inputs = new Map<number, string>();
	#id: string | undefined;
	#model: string | undefined;
	#usage: Usage | undefined;

	take(data: JsonObject): void {
		const event = readAnthropicEvent(data);
		this.#id ??= event?.answer;
		this.#model ??= event?.model;
		if (event?.usage) this.#usage = newerUsage(event.usage, this.#usage);
		const at = asNumber(data["index"]) ?? 0;
		if (data["type"] === "message")
			for (const [n, block] of asList(data["content"]).entries()) this.#blocks.set(n, asObject(block) ?? {});
		if (data["type"] === "content_block_start") this.#blocks.set(at, asObject(data["content_block"]) ?? {});
		if (data["type"] === "content_block_delta") this.#add(at, asObject(data["delta"]) ?? {});
	}

	#add(at: number, delta: JsonObject): void {
		const block = this.#blocks.get(at) ?? {};
		const append = (field: string) => {
			this.#blocks.set(at, { ...block, [field]: `${asText(block[field]) ?? ""}${asText(delta[field]) ?? ""}` });
		};
		if (delta["type"] === "text_delta") append("text");
		if (delta["type"] === "thinking_delta") append("thinking");
		if (delta["type"] === "signature_delta") append("signature");
		if (delta["type"] === "input_json_delta")
			this.#inputs.set(at, `${this.#inputs.get(at) ?? ""}${asText(delta["partial_json"]) ?? ""}`);
	}

	finish(): ModelAnswer | undefined {
		if (this.#blocks.size === 0) return undefined;
		const content = [...this.#blocks].flatMap(([at, block]) => {
			const input = this.#inputs.get(at);
			return answerBlocks(input === undefined ? block : { ...block, input: parseArguments(input) });
		});
		return { content, id: this.#id, model: this.#model, usage: this.#usage };
	}
}

/** An answer that says one text, as the provider would send it to this request. */
export function renderAnthropicAnswer(
	request: JsonObject,
	{ id, text, usage: used }: { readonly id: string; readonly text: string; readonly usage: Usage },
): RenderedAnswer {
	const usage = writeAnthropicUsage(used);
	const message = { id, type: "message", role: "assistant", model: request["model"], stop_sequence: null, usage };
	if (request["stream"] !== true)
		return renderJson({ ...message, content: [{ type: "text", text }], stop_reason: "end_turn" });
	return renderStream([
		{ type: "message_start", message: { ...message, content: [], stop_reason: null } },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
		{ type: "message_stop" },
	]);
}

export function readAnthropicUsage(value: unknown): Usage | undefined {
	const usage = asObject(value);
	if (!usage) return undefined;
	return {
		input: asTokens(usage["input_tokens"]) ?? 0,
		output: asTokens(usage["output_tokens"]) ?? 0,
		cacheRead: asTokens(usage["cache_read_input_tokens"]) ?? 0,
		cacheWrite: asTokens(usage["cache_creation_input_tokens"]) ?? 0,
		cacheWriteLong: asTokens(asObject(usage["cache_creation"])?.["ephemeral_1h_input_tokens"]),
	};
}

export function writeAnthropicUsage({ input, output, cacheRead, cacheWrite }: Usage): JsonObject {
	return {
		input_tokens: input,
		output_tokens: output,
		cache_read_input_tokens: cacheRead,
		cache_creation_input_tokens: cacheWrite,
	};
}
