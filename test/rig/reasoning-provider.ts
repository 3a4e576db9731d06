/**
 * A provider that checks the reasoning which comes back to it, around any script that speaks OpenAI's Responses API. Its rules: an item of
 * reasoning comes back with its content as it was, right before the item that it was made with, and in the order in which it was made.
 */
import { createHmac } from "node:crypto";
import { answerOf, type ModelAnswer, type ModelRequest, type ModelScript, type Thinking } from "./answer.ts";

interface Item {
	readonly type: string;
	readonly call_id?: string;
	readonly encrypted_content?: string;
	readonly content?: readonly { readonly type: string; readonly text?: string }[] | null;
}

/** Reasoning that the provider gave. */
interface GivenReasoning {
	readonly order: number;
	/** Names the item that came after it. */
	readonly next: string;
}

const KEY = "the provider's own";

export class ReasoningProvider {
	/** By encrypted content. */
	readonly #given = new Map<string, GivenReasoning>();
	/** The first reasoning of an answer, by the name of the item after it. */
	readonly #before = new Map<string, string>();
	/** Why requests were refused. */
	readonly refused: string[] = [];
	/** Items of reasoning that came back, by request. */
	readonly kept: number[] = [];
	/** Items that came back without their reasoning, though it was in the request before. */
	readonly lost: string[] = [];
	#last = new Set<string>();

	script(inner: ModelScript): Exclude<ModelScript, readonly ModelAnswer[]> {
		return async (request, index) => {
			if (request.api !== "openai-responses") return answerOf(inner, request, index);
			const refusal = this.#check(request);
			if (refusal !== undefined) {
				this.refused.push(`request ${request.index}: ${refusal}`);
				return { error: { status: 400, body: { error: { type: "invalid_request_error", message: refusal } } } };
			}
			return this.#sign(await answerOf(inner, request, index));
		};
	}

	#check({ json }: ModelRequest): string | undefined {
		const items = (json["input"] ?? []) as readonly Item[];
		const came = new Set<string>();
		let newest = -1;
		for (const [at, item] of items.entries()) {
			if (item.type !== "reasoning") continue;
			const content = item.encrypted_content ?? "";
			const given = this.#given.get(content);
			if (!given) return `input.${at}: The encrypted content could not be verified.`;
			const next = items.slice(at + 1).find(({ type }) => type !== "reasoning");
			if (!next || nameOf(next) !== given.next)
				return `input.${at}: Item of type 'reasoning' was provided without its required following item.`;
			if (given.order <= newest) return `input.${at}: Items of type 'reasoning' are out of order.`;
			newest = given.order;
			came.add(content);
		}
		this.kept.push(came.size);
		for (const item of items) {
			const before = this.#before.get(nameOf(item) ?? "");
			if (before !== undefined && this.#last.has(before) && !came.has(before)) this.lost.push(nameOf(item) ?? "");
		}
		this.#last = came;
		return undefined;
	}

	#sign(answer: ModelAnswer): ModelAnswer {
		if (answer.thinking === undefined || answer.error) return answer;
		const texts = typeof answer.thinking === "string" ? [answer.thinking] : answer.thinking.map(({ text }) => text);
		const next = answer.text === undefined ? `call ${answer.toolCalls?.[0]?.id}` : `text ${answer.text}`;
		const thinking = texts.map((text): Thinking => {
			const order = this.#given.size;
			const signature = createHmac("sha256", KEY).update(`${order} ${next} ${text}`).digest("base64");
			this.#given.set(signature, { order, next });
			return { text, signature };
		});
		const first = thinking[0]?.signature;
		if (first !== undefined) this.#before.set(next, first);
		return { ...answer, thinking };
	}
}

function nameOf({ type, call_id, content }: Item): string | undefined {
	if (type === "message") return `text ${content?.map(({ text }) => text ?? "").join("")}`;
	return type.endsWith("_call") ? `call ${call_id}` : undefined;
}
