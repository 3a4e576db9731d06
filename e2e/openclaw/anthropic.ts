/** The same model over Anthropic's protocol: requests as OpenAI's have them, answers as Anthropic streams them. */
import type { ServerResponse } from "node:http";
import type { Body, Said, WireMessage } from "./protocol.ts";

interface Block {
	readonly type: string;
	readonly text?: string;
	readonly tool_use_id?: string;
	readonly id?: string;
	readonly name?: string;
	readonly input?: unknown;
	readonly content?: unknown;
}

export function fromAnthropic(sent: Body & { readonly system?: unknown }): Body {
	const head: WireMessage[] = sent.system === undefined ? [] : [{ role: "system", content: sent.system }];
	return { ...sent, messages: [...head, ...(sent.messages ?? []).flatMap(plain)] };
}

/** Results stand in messages of the user's there; here each is one of the tool's. */
function plain({ role, content }: WireMessage): WireMessage[] {
	if (!Array.isArray(content)) return [{ role, content }];
	const blocks = content as Block[];
	const results = blocks.filter(({ type }) => type === "tool_result");
	const tools = results.map(({ tool_use_id: id = "", content: said }) => ({
		role: "tool",
		tool_call_id: id,
		content: said,
	}));
	const rest = blocks.filter(({ type }) => type !== "tool_result");
	const calls = rest.filter(({ type }) => type === "tool_use");
	if (rest.length === 0) return tools;
	const own = {
		role,
		content: rest.filter(({ type }) => type === "text"),
		...(calls.length > 0 && { tool_calls: calls }),
	};
	return [...tools, own];
}

export function sayAnthropic(response: ServerResponse, said: Said): void {
	const { model, text, calls, usage, stream, thinking = [] } = said;
	const used = calls.map(({ id, name, args: input }) => ({ type: "tool_use", id, name, input }));
	const thoughts = thinking.map(({ text: thinking, signature, isRedacted }) =>
		isRedacted ? { type: "redacted_thinking", data: signature } : { type: "thinking", thinking, signature },
	);
	const content = [...thoughts, ...(used.length > 0 ? used : [{ type: "text", text: text ?? "" }])];
	const stop = { stop_reason: used.length > 0 ? "tool_use" : "end_turn", stop_sequence: null };
	const counted = {
		input_tokens: usage.tokens - usage.cached,
		cache_read_input_tokens: usage.cached,
		cache_creation_input_tokens: 0,
		output_tokens: 20,
	};
	const message = { id: `msg-${usage.tokens}`, type: "message", role: "assistant", model };
	if (!stream) {
		response.writeHead(200, { "content-type": "application/json" });
		response.end(JSON.stringify({ ...message, content, ...stop, usage: counted }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream" });
	const write = (type: string, data: object) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	write("message_start", { message: { ...message, content: [], stop_reason: null, usage: counted } });
	for (const [index, block] of content.entries()) {
		const { start, deltas } = inDeltas(block);
		write("content_block_start", { index, content_block: start });
		for (const delta of deltas) write("content_block_delta", { index, delta });
		write("content_block_stop", { index });
	}
	write("message_delta", { delta: stop, usage: { output_tokens: 20 } });
	write("message_stop", {});
	response.end();
}

function inDeltas(block: object): { readonly start: object; readonly deltas: readonly object[] } {
	if ("input" in block)
		return {
			start: { ...block, input: {} },
			deltas: [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }],
		};
	if ("data" in block) return { start: block, deltas: [] };
	if ("thinking" in block && "signature" in block)
		return {
			start: { type: "thinking", thinking: "", signature: "" },
			deltas: [
				{ type: "thinking_delta", thinking: block.thinking },
				{ type: "signature_delta", signature: block.signature },
			],
		};
	return {
		start: { type: "text", text: "" },
		deltas: [{ type: "text_delta", text: "text" in block ? block.text : "" }],
	};
}
