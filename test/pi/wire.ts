/** What stands on the wire, in a form that can be compared: marks for the cache are no content. */
import type { ModelRequest } from "../rig/answer.ts";

export interface WireBlock {
	readonly type: string;
	readonly text?: string;
	readonly id?: string;
	readonly name?: string;
	readonly tool_use_id?: string;
	readonly content?: unknown;
	readonly [field: string]: unknown;
}

export interface WireMessage {
	readonly role: string;
	readonly content: readonly WireBlock[];
}

/** Anthropic's messages, without marks; a text alone as a block, which is what it means. */
export function messagesOf({ json }: ModelRequest): WireMessage[] {
	const messages = json["messages"] as readonly { role: string; content: string | WireBlock[] }[];
	return messages.map(({ role, content }) => ({
		role,
		content: typeof content === "string" ? [{ type: "text", text: content }] : content.map(unmarked),
	}));
}

/** Prompt, tools and everything else that a cache goes by. Near the end of a window Pi itself lowers `max_tokens`. */
export function headOf({ json }: ModelRequest): string {
	const { messages: _messages, max_tokens: _most, ...head } = json;
	return JSON.stringify(head);
}

export function systemText({ json }: ModelRequest): string {
	const { system } = json;
	return typeof system === "string" ? system : (system as WireBlock[]).map(({ text }) => text).join("");
}

/** Where the marks for the cache stand: `system`, `tools`, `messages.3`. */
export function marksOf({ json }: ModelRequest): string[] {
	const marked = (value: unknown) => (value as WireBlock[]).some((block) => "cache_control" in block);
	const messages = json["messages"] as readonly { content: string | WireBlock[] }[];
	return [
		...(marked(json["system"]) ? ["system"] : []),
		...(marked(json["tools"]) ? ["tools"] : []),
		...messages.flatMap(({ content }, at) =>
			typeof content !== "string" && marked(content) ? [`messages.${at}`] : [],
		),
	];
}

/** True when the second request begins with every byte of the first. */
export function extendsRequest(before: ModelRequest, after: ModelRequest): boolean {
	const [old, now] = [messagesOf(before), messagesOf(after)].map((list) => list.map((each) => JSON.stringify(each)));
	return headOf(before) === headOf(after) && old!.every((message, at) => message === now![at]);
}

/** The texts of a tool's results, by the id of the call. */
export function resultsIn(request: ModelRequest): Map<string, string> {
	const results = new Map<string, string>();
	for (const { content } of messagesOf(request)) {
		for (const block of content) {
			if (block.type === "tool_result") results.set(block.tool_use_id!, textIn(block.content));
		}
	}
	return results;
}

export function textIn(content: unknown): string {
	if (typeof content === "string") return content;
	return (content as WireBlock[]).map(({ text }) => text ?? "").join("\n");
}

export function allText(request: ModelRequest): string {
	return messagesOf(request)
		.flatMap(({ content }) => content.map((block) => block.text ?? textIn(block.content ?? "")))
		.join("\n");
}

function unmarked(block: WireBlock): WireBlock {
	const { cache_control: _mark, ...rest } = block;
	return rest;
}
