/**
 * A provider that checks the thinking which comes back to it, around any script that speaks Anthropic's API. The newer generation signs
 * each block over the model, the system text, the tools, the messages before it and the block before it, and refuses or drops a block
 * behind another prefix. The older one wants the newest turn of a tool loop to begin with its thinking, and none where thinking is off.
 */
import { createHmac } from "node:crypto";
import { answerOf, type ModelAnswer, type ModelRequest, type ModelScript, type Thinking } from "./answer.ts";

export type Generation = "newer" | "older";

export interface ProviderOptions {
	/** By the name of the model; by default of all the same. */
	readonly generation: Generation | ((model: string) => Generation);
	/** What the newer generation does with a block that is not valid, if the request does not say. */
	readonly onMismatch?: "error" | "drop";
	/** The model thinks whatever the request's `thinking` field says. */
	readonly alwaysThinks?: boolean;
	/** Models of the newer generation read each other's thinking, which stays bound to what its own model saw. */
	readonly readsOthers?: boolean;
}

/** Thinking in all its forms: one block, a hidden one, one without words, and two with the text between them. */
export function thoughts(n: number): Thinking[] {
	const thought = { text: `Thought ${n}.`, signature: "" };
	switch (n % 4) {
		case 1:
			return [{ ...thought, isRedacted: true }];
		case 2:
			return [thought, { ...thought, text: `Thought ${n} again.`, isBeforeCalls: true }];
		case 3:
			return [{ ...thought, text: "" }];
		default:
			return [thought];
	}
}

interface Block {
	readonly type: string;
	readonly id?: string;
	readonly text?: string;
	readonly tool_use_id?: string;
	readonly signature?: string;
	readonly data?: string;
	readonly [field: string]: unknown;
}

interface Message {
	readonly role: string;
	readonly content: readonly Block[];
}

/** An answer that the provider gave. */
interface GivenAnswer {
	readonly model: string;
	readonly prefix: string;
	readonly signatures: readonly string[];
}

const KEY = "the provider's own";

export class ThinkingProvider {
	readonly #options: ProviderOptions;
	/** By the ids of their calls, or by their text. */
	readonly #given = new Map<string, GivenAnswer>();
	/** Why requests were refused. */
	readonly refused: string[] = [];
	/** Blocks that came back and were valid, by request. */
	readonly kept: number[] = [];
	/** Blocks that were dropped because something before them had changed. */
	dropped = 0;
	/** Answers that came back without thinking, or a part of it, that was still valid there. */
	readonly lost: string[] = [];
	/** Answers whose thinking stayed away, because it was not valid any more. */
	leftOut = 0;

	constructor(options: ProviderOptions) {
		this.#options = options;
	}

	/** The script of a model whose requests are checked and whose thinking is signed. */
	script(inner: ModelScript): Exclude<ModelScript, readonly ModelAnswer[]> {
		return async (request, index) => {
			if (request.api !== "anthropic-messages") return answerOf(inner, request, index);
			const refusal = this.check(request.json);
			if (typeof refusal === "string") {
				this.refused.push(`request ${request.index}: ${refusal}`);
				const error = { type: "invalid_request_error", message: refusal };
				return { error: { status: 400, body: { type: "error", error } } };
			}
			return this.sign(request.json, await answerOf(inner, request, index));
		};
	}

	/** Why the request is refused. */
	check(json: ModelRequest["json"]): string | undefined {
		const model = String(json["model"]);
		return this.#generationOf(model) === "newer" ? this.#checkNewer(json, model) : this.#checkOlder(json);
	}

	/** The answer with its thinking signed. Where thinking is off, there is none. */
	sign(json: ModelRequest["json"], answer: ModelAnswer): ModelAnswer {
		if (answer.thinking === undefined || answer.error) return answer;
		const isOff = !["enabled", "adaptive"].includes(String((json["thinking"] as Block | undefined)?.type));
		if (isOff && !this.#options.alwaysThinks) {
			const { thinking: _, ...rest } = answer;
			return rest;
		}
		const model = String(json["model"]);
		const messages = this.#accepted(json, model);
		const prefix = prefixOf(json, messages);
		const thoughts: readonly Thinking[] =
			typeof answer.thinking === "string" ? [{ text: answer.thinking, signature: "" }] : answer.thinking;
		let before = lastSignature(messages);
		const thinking = thoughts.map((thought): Thinking => {
			const text = thought.isRedacted ? "" : thought.text;
			before = signatureOf(model, this.#generationOf(model) === "newer" ? [prefix, before, text] : [text]);
			return { ...thought, signature: before };
		});
		const given = { model, prefix, signatures: thinking.map(({ signature }) => signature) };
		for (const key of keysOf(answer)) this.#given.set(key, given);
		return { ...answer, thinking };
	}

	#drops(json: ModelRequest["json"]): boolean {
		const binding = (json["thinking"] as Block | undefined)?.["block_binding"] as Block | undefined;
		const said = binding?.["prefix_mismatch_behavior"];
		return said === undefined ? this.#options.onMismatch === "drop" : said === "drop_block";
	}

	#generationOf(model: string): Generation {
		const { generation } = this.#options;
		return typeof generation === "string" ? generation : generation(model);
	}

	#checkNewer(json: ModelRequest["json"], model: string): string | undefined {
		const readable = this.#readable(json, model);
		const bad = firstInvalid(json, readable);
		if (bad && !this.#drops(json))
			return `messages.${bad.message}.content.${bad.block}: Invalid signature in thinking block. The block is bound to a different conversation`;
		const accepted = this.#accepted(json, model);
		const [came, stayed] = [countThinking(readable), countThinking(accepted)];
		this.dropped += came - stayed;
		this.kept.push(stayed);
		for (const [at, message] of accepted.entries()) {
			if (message.role !== "assistant") continue;
			const given = keysIn(message)
				.map((key) => this.#given.get(key))
				.find(Boolean);
			if (!given || given.model !== model || countThinking([message]) === given.signatures.length) continue;
			if (given.prefix === prefixOf(json, accepted.slice(0, at))) this.lost.push(keysIn(message).join());
			else this.leftOut++;
		}
		return undefined;
	}

	/** Thinking that the model cannot read is dropped without an error. */
	#readable(json: ModelRequest["json"], model: string): Message[] {
		const { readsOthers } = this.#options;
		const isReadable = (block: Block) =>
			!isThinking(block) ||
			authorOf(block) === model ||
			(readsOthers === true && this.#generationOf(authorOf(block)) === "newer");
		return messagesIn(json).map((message) => ({ ...message, content: message.content.filter(isReadable) }));
	}

	/** The messages as the model gets them. */
	#accepted(json: ModelRequest["json"], model: string): Message[] {
		const readable = this.#readable(json, model);
		if (this.#generationOf(model) === "older") return readable;
		const bad = firstInvalid(json, readable);
		if (!bad) return readable;
		return readable.map((message, at) => {
			if (at < bad.message) return message;
			const from = at === bad.message ? bad.block : 0;
			return { ...message, content: message.content.filter((block, n) => n < from || !isThinking(block)) };
		});
	}

	#checkOlder(json: ModelRequest["json"]): string | undefined {
		const messages = messagesIn(json);
		const isOn = (json["thinking"] as Block | undefined)?.type === "enabled";
		const at = messages.findLastIndex(({ role }) => role === "assistant");
		const answer = messages[at];
		const isLoop = messages[at + 1]?.content.some(({ type }) => type === "tool_result") === true;
		this.kept.push(countThinking(messages));
		if (!answer || !isLoop) return undefined;
		const [first] = answer.content;
		const hadThinking = keysIn(answer).some((key) => this.#given.has(key));
		if (isOn && hadThinking && first && !isThinking(first))
			return `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\``;
		if (!isOn && answer.content.some(isThinking))
			return `messages.${at}.content: thinking is off, and the final assistant message contains thinking`;
		return undefined;
	}
}

/** The first block whose prefix is another than when it was made. */
function firstInvalid(
	json: ModelRequest["json"],
	messages: readonly Message[],
): { readonly message: number; readonly block: number } | undefined {
	let before = "";
	for (const [message, { role, content }] of messages.entries()) {
		if (role !== "assistant" || !content.some(isThinking)) continue;
		const prefix = prefixOf(json, messages.slice(0, message));
		for (const [block, each] of content.entries()) {
			if (!isThinking(each)) continue;
			const signature = each.signature ?? each.data ?? "";
			const expected = signatureOf(authorOf(each), [prefix, before, String(each["thinking"] ?? "")]);
			if (signature !== expected) return { message, block };
			before = signature;
		}
	}
	return undefined;
}

function prefixOf(json: ModelRequest["json"], messages: readonly Message[]): string {
	return JSON.stringify([blocksOf(json["system"]), unmarked(json["tools"]), messages]);
}

/** In base64, as real ones: OpenClaw masks what looks like a key. It names the model, because a model reads its own blocks. */
function signatureOf(model: string, parts: readonly string[]): string {
	const hash = createHmac("sha256", KEY)
		.update(JSON.stringify([model, ...parts]))
		.digest("hex");
	return Buffer.from(`${model}:${hash}`).toString("base64");
}

function authorOf(block: Block): string {
	const signature = block.signature ?? block.data ?? "";
	return Buffer.from(signature, "base64").toString().split(":", 1)[0] ?? "";
}

function lastSignature(messages: readonly Message[]): string {
	const blocks = messages.flatMap(({ content }) => content.filter(isThinking));
	const last = blocks.at(-1);
	return last?.signature ?? last?.data ?? "";
}

function isThinking({ type }: Block): boolean {
	return type === "thinking" || type === "redacted_thinking";
}

function countThinking(messages: readonly Message[]): number {
	return messages.reduce((sum, { content }) => sum + content.filter(isThinking).length, 0);
}

/** By what an answer is known when it comes back. */
function keysOf({ toolCalls = [], text }: ModelAnswer): string[] {
	return toolCalls.length > 0 ? toolCalls.map(({ id }) => id) : [text ?? ""];
}

function keysIn({ content }: Message): string[] {
	const ids = content.flatMap(({ type, id }) => (type === "tool_use" && id !== undefined ? [id] : []));
	return ids.length > 0 ? ids : content.flatMap(({ type, text }) => (type === "text" ? [text ?? ""] : []));
}

function messagesIn(json: ModelRequest["json"]): Message[] {
	const messages = json["messages"] as readonly { readonly role: string; readonly content: unknown }[];
	return messages.map(({ role, content }) => ({ role, content: blocksOf(content) }));
}

/** Marks for the cache do not count, and a plain text is one block. */
function blocksOf(content: unknown): Block[] {
	if (content === undefined) return [];
	if (typeof content === "string") return [{ type: "text", text: content }];
	return (content as Block[]).map((block) => unmarked(block) as Block);
}

function unmarked(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(unmarked);
	if (value === null || typeof value !== "object") return value;
	return Object.fromEntries(
		Object.entries(value).flatMap(([key, each]) => (key === "cache_control" ? [] : [[key, unmarked(each)]])),
	);
}
