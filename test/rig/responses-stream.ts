/** An answer as OpenAI's Responses API streams it. */
import { type ModelAnswer, type ModelRequest, type ScriptedCall, usageOf } from "./answer.ts";

export function* responsesStream(answer: ModelAnswer, request: ModelRequest): Generator<string> {
	let number = 0;
	const event = (type: string, data: object) =>
		`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...data })}\n\n`;
	const id = `resp_${request.index}`;
	const base = { id, object: "response", status: "in_progress", model: request.json["model"], output: [] };
	yield event("response.created", { response: base });
	const items = itemsOf(answer, request.index);
	for (const [output_index, item] of items.entries()) {
		yield event("response.output_item.added", { output_index, item });
		yield event("response.output_item.done", { output_index, item });
	}
	const { input, output, cacheRead } = usageOf(answer, request);
	const usage = {
		input_tokens: input + cacheRead,
		input_tokens_details: { cached_tokens: cacheRead },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: input + cacheRead + output,
	};
	yield event("response.completed", { response: { ...base, status: "completed", output: items, usage } });
}

/** Encrypted for nobody: the host must send it back unchanged. */
const ENCRYPTED = "RU5DUllQVEVELVJFQVNPTklORw==";

function itemsOf({ text, thinking, toolCalls = [] }: ModelAnswer, index: number): object[] {
	const content = [{ type: "output_text", text, annotations: [] }];
	const said = { type: "message", id: `msg_${index}`, role: "assistant", status: "completed", content };
	const thoughts = typeof thinking === "string" ? [{ text: thinking, signature: ENCRYPTED }] : (thinking ?? []);
	const reasoning = thoughts.map((thought, at) => ({
		type: "reasoning",
		id: `rs_${index}_${at}`,
		summary: [{ type: "summary_text", text: thought.text }],
		encrypted_content: thought.signature,
	}));
	return [...reasoning, ...(text === undefined ? [] : [said]), ...toolCalls.map(callItem)];
}

function callItem({ id, name, args, input, namespace }: ScriptedCall): object {
	const given = { call_id: id, name, status: "completed" };
	if (input !== undefined) return { type: "custom_tool_call", id: `ctc_${id}`, ...given, input };
	const within = namespace === undefined ? {} : { namespace };
	return { type: "function_call", id: `fc_${id}`, ...given, ...within, arguments: JSON.stringify(args) };
}
