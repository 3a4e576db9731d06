/**
 * What a scripted model says, free of any provider's format. A step is an answer; a script is a list of steps or a
 * function of the request. The two stream writers turn an answer into the bytes that the provider would send.
 */
export interface ModelAnswer {
	readonly text?: string;
	/** Comes before the text. Anthropic's blocks carry a signature, which the host must send back unchanged. */
	readonly thinking?: string | readonly Thinking[];
	/** Several at once are a parallel batch. */
	readonly toolCalls?: readonly ScriptedCall[];
	/** What the host will believe of the size of its context. Default: a quarter of the request's bytes. */
	readonly usage?: ScriptedUsage;
	/** Default: "tool" when there are calls, else "end". */
	readonly stop?: "end" | "tool" | "length";
	/** Answers with this status and body instead of a stream. */
	readonly error?: { readonly status: number; readonly body: unknown };
	/** Waits so long before the first byte. */
	readonly delayMs?: number;
	/** Is waited for when the first part of the stream has left. */
	readonly midway?: () => Promise<void>;
}

export interface Thinking {
	readonly text: string;
	readonly signature: string;
	/** The provider hides the text: a block of its own kind. */
	readonly isRedacted?: boolean;
	/** Interleaved thinking: after the text, right before the calls. */
	readonly isBeforeCalls?: boolean;
}

export interface ScriptedCall {
	readonly id: string;
	readonly name: string;
	readonly args: Readonly<Record<string, unknown>>;
	/** Responses API: the text of a tool that takes one instead of arguments. */
	readonly input?: string;
	/** Responses API: of a tool that is not named at once. */
	readonly namespace?: string;
}

export interface ScriptedUsage {
	readonly input: number;
	readonly output: number;
	readonly cacheRead?: number;
	readonly cacheWrite?: number;
}

export type ModelApi = "openai-completions" | "openai-responses" | "anthropic-messages";

/** One request as it came over the wire. */
export interface ModelRequest {
	readonly index: number;
	readonly api: ModelApi;
	readonly path: string;
	readonly headers: Readonly<Record<string, string>>;
	/** The bytes that came, as text. */
	readonly body: string;
	readonly json: Readonly<Record<string, unknown>>;
}

export type ModelScript =
	| readonly ModelAnswer[]
	| ((request: ModelRequest, index: number) => ModelAnswer | Promise<ModelAnswer>);

/** What every provider answers when the request is larger than the model's window. */
export function overflow(api: ModelApi, limit: number): ModelAnswer {
	if (api === "anthropic-messages") {
		const message = `prompt is too long: ${limit + 1} tokens > ${limit} maximum`;
		return { error: { status: 400, body: { type: "error", error: { type: "invalid_request_error", message } } } };
	}
	const message = `This model's maximum context length is ${limit} tokens. Please reduce the length of the messages.`;
	return { error: { status: 400, body: { error: { message, code: "context_length_exceeded" } } } };
}

export function usageOf(answer: ModelAnswer, request: ModelRequest): Required<ScriptedUsage> {
	const estimate = { input: Math.ceil(request.body.length / 4), output: 8 };
	return { cacheRead: 0, cacheWrite: 0, ...(answer.usage ?? estimate) };
}

export function stopOf(answer: ModelAnswer): "end" | "tool" | "length" {
	return answer.stop ?? (answer.toolCalls?.length ? "tool" : "end");
}

/** The next answer of a script. */
export async function answerOf(script: ModelScript, request: ModelRequest, index: number): Promise<ModelAnswer> {
	const answer = typeof script === "function" ? await script(request, index) : script[index];
	if (!answer) throw new Error(`the script has ${script.length} answers, this is request ${index + 1}`);
	return answer;
}
