/** OpenAI's chat completions, which most other providers speak too. */
import { asList, asObject, asText } from "../../../base/json/read.ts";
import type { Dialect, RequestMessage } from "../dialect.ts";
import { ChatAnswer } from "./answer.ts";
import { chatToPi } from "./to-pi.ts";

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
