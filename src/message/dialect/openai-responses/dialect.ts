/** OpenAI's Responses API. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import type { Dialect, RequestMessage } from "../dialect.ts";
import type { PiMessage } from "../pi/message.ts";
import { answerBlocks, contentBlocks, isOutput, outputBlocks, ResponsesAnswer } from "./answer.ts";

export const responsesDialect: Dialect = {
	api: "openai-responses",
	field: "input",
	isCall: (method, path) => method === "POST" && /\/responses(?:\?|$)/.test(path),
	readHead: (body) => [body["tools"], body["instructions"]],
	readMessages(body) {
		const messages: { speaker: RequestMessage["speaker"]; items: JsonObject[] }[] = [];
		for (const item of itemsOf(body)) {
			const speaker = speakerOf(item);
			const last = messages.at(-1);
			if (speaker === "assistant" && last?.speaker === "assistant") last.items.push(item);
			else messages.push({ speaker, items: [item] });
		}
		return messages;
	},
	toPi({ speaker, items }, calls): PiMessage[] {
		if (speaker === "assistant") {
			const content = items.flatMap((item) => answerBlocks(item) ?? []);
			for (const block of content) if (block.type === "toolCall") calls.set(block.id, block.name);
			return [{ role: "assistant", content }];
		}
		return items.map((item): PiMessage => {
			if (speaker !== "result") return { role: speaker, content: contentBlocks(item["content"]) };
			const toolCallId = asName(item["call_id"]) ?? "";
			const content = outputBlocks(item["output"]);
			return { role: "toolResult", toolCallId, toolName: calls.get(toolCallId) ?? "", content, isError: false };
		});
	},
	openAnswer: () => new ResponsesAnswer(),
	appendText(item, text) {
		const { content } = item;
		const own = typeof content === "string" ? [{ type: "input_text", text: content }] : asList(content);
		return { ...item, content: [...own, { type: "input_text", text }] };
	},
};

export function itemsOf(request: JsonObject): readonly JsonObject[] {
	const { input } = request;
	if (typeof input === "string") return [{ role: "user", content: input }];
	return asList(input).map((item) => asObject(item) ?? {});
}

function speakerOf(item: JsonObject): RequestMessage["speaker"] {
	if (isOutput(item)) return "result";
	if ((asText(item["type"]) ?? "message") !== "message") return "assistant";
	const { role } = item;
	if (role === "system" || role === "developer") return "system";
	return role === "assistant" ? "assistant" : "user";
}

export function callIds(items: readonly JsonObject[]): string[] {
	return items.flatMap((item) => (asText(item["type"])?.endsWith("_call") ? (asName(item["call_id"]) ?? []) : []));
}

/** Ids of the calls that outputs answer. */
export function resultIds(items: readonly JsonObject[]): string[] {
	return items.flatMap((item) => (isOutput(item) ? (asName(item["call_id"]) ?? []) : []));
}
