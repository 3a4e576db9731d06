import { type ModelAnswer, type ModelRequest, stopOf, type Thinking, usageOf } from "./answer.ts";

const STOP_REASON = { end: "end_turn", tool: "tool_use", length: "max_tokens" } as const;

/** An answer as the server-sent events of Anthropic's messages API. */
export function anthropicStream(answer: ModelAnswer, request: ModelRequest): string[] {
	const usage = usageOf(answer, request);
	const inputUsage = {
		input_tokens: usage.input,
		cache_read_input_tokens: usage.cacheRead,
		cache_creation_input_tokens: usage.cacheWrite,
	};
	return [
		event("message_start", {
			message: {
				id: `msg_${request.index}`,
				type: "message",
				role: "assistant",
				model: request.json["model"],
				content: [],
				stop_reason: null,
				stop_sequence: null,
				usage: { ...inputUsage, output_tokens: 1 },
			},
		}),
		...blocksOf(answer).flatMap(({ start, deltas }, index) => [
			event("content_block_start", { index, content_block: start }),
			...deltas.map((delta) => event("content_block_delta", { index, delta })),
			event("content_block_stop", { index }),
		]),
		event("message_delta", {
			delta: { stop_reason: STOP_REASON[stopOf(answer)], stop_sequence: null },
			usage: { ...inputUsage, output_tokens: usage.output },
		}),
		event("message_stop", {}),
	];
}

interface Block {
	readonly start: Readonly<Record<string, unknown>>;
	readonly deltas: readonly Readonly<Record<string, unknown>>[];
}

function blocksOf(answer: ModelAnswer): Block[] {
	const thinking = signedThinking(answer);
	const blocks = thinking.filter(({ isBeforeCalls }) => !isBeforeCalls).map(thinkingBlock);
	if (answer.text !== undefined) {
		blocks.push({
			start: { type: "text", text: "" },
			deltas: halves(answer.text).map((text) => ({ type: "text_delta", text })),
		});
	}
	blocks.push(...thinking.filter(({ isBeforeCalls }) => isBeforeCalls).map(thinkingBlock));
	for (const { id, name, args } of answer.toolCalls ?? []) {
		blocks.push({
			start: { type: "tool_use", id, name, input: {} },
			deltas: halves(JSON.stringify(args)).map((partial_json) => ({ type: "input_json_delta", partial_json })),
		});
	}
	return blocks;
}

function thinkingBlock({ text, signature, isRedacted }: Thinking): Block {
	if (isRedacted) return { start: { type: "redacted_thinking", data: signature }, deltas: [] };
	return {
		start: { type: "thinking", thinking: "", signature: "" },
		deltas: [
			...(text === "" ? [] : [{ type: "thinking_delta", thinking: text }]),
			{ type: "signature_delta", signature },
		],
	};
}

function signedThinking({ thinking }: ModelAnswer): readonly Thinking[] {
	if (thinking === undefined) return [];
	return typeof thinking === "string" ? [{ text: thinking, signature: btoa("signed") }] : thinking;
}

/** Two deltas, so that the host has to put them together as it does in real life. */
function halves(text: string): string[] {
	const middle = text.length >> 1;
	return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== "");
}

function event(type: string, data: Readonly<Record<string, unknown>>): string {
	return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}
