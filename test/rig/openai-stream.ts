import { type ModelAnswer, type ModelRequest, stopOf, usageOf } from "./answer.ts";

const FINISH_REASON = { end: "stop", tool: "tool_calls", length: "length" } as const;

/** An answer as the server-sent events of OpenAI's chat completions API. */
export function openaiStream(answer: ModelAnswer, request: ModelRequest): string[] {
	const chunk = (fields: Readonly<Record<string, unknown>>) =>
		`data: ${JSON.stringify({ id: `chatcmpl_${request.index}`, object: "chat.completion.chunk", created: 0, model: request.json["model"], ...fields })}\n\n`;
	const delta = (fields: Readonly<Record<string, unknown>>) =>
		chunk({ choices: [{ index: 0, delta: fields, finish_reason: null }] });

	const { input, output, cacheRead, cacheWrite } = usageOf(answer, request);
	const prompt_tokens = input + cacheRead + cacheWrite;
	return [
		delta({ role: "assistant", content: "" }),
		...(answer.thinking === undefined ? [] : [delta({ reasoning_content: thinkingText(answer.thinking) })]),
		...(answer.text === undefined ? [] : [delta({ content: answer.text })]),
		...(answer.toolCalls ?? []).flatMap(({ id, name, args }, index) => [
			delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
			delta({ tool_calls: [{ index, function: { arguments: JSON.stringify(args) } }] }),
		]),
		chunk({ choices: [{ index: 0, delta: {}, finish_reason: FINISH_REASON[stopOf(answer)] }] }),
		chunk({
			choices: [],
			usage: {
				prompt_tokens,
				completion_tokens: output,
				total_tokens: prompt_tokens + output,
				prompt_tokens_details: { cached_tokens: cacheRead },
			},
		}),
		"data: [DONE]\n\n",
	];
}

function thinkingText(thinking: NonNullable<ModelAnswer["thinking"]>): string {
	return typeof thinking === "string" ? thinking : thinking.map(({ text }) => text).join("\n");
}
