/** Signed thinking in messages of any form: found, and left out. Thinking without a signature is a text that no provider verifies. */
import { asList, asName, asObject, type JsonObject } from "../base/json/read.ts";

export function hasThinking(message: JsonObject): boolean {
	return (
		message["role"] === "assistant" && asList(message["content"]).some((block) => signatureOf(block) !== undefined)
	);
}

/** A frozen message has one copy, so that everything derived from the copy is computed once. */
const copies = new WeakMap<JsonObject, JsonObject>();

export function withoutThinking<Message extends JsonObject>(message: Message): Message {
	const known = copies.get(message);
	if (known) return known as Message;
	const content = asList(message["content"]).filter((block) => signatureOf(block) === undefined);
	const copy = { ...message, content };
	if (!Object.isFrozen(message)) return copy;
	copies.set(message, Object.freeze(copy));
	return copy;
}

export function signaturesOf(messages: readonly JsonObject[]): Set<string> {
	return new Set(messages.flatMap(({ content }) => asList(content).flatMap((block) => signatureOf(block) ?? [])));
}

/** A provider's request with only the thinking that has one of these signatures. */
export function keepThinking(request: JsonObject, signatures: ReadonlySet<string>): JsonObject {
	const messages = asList(request["messages"]).map((value) => {
		const message = asObject(value) ?? {};
		const isLeftOut = (block: unknown) => !signatures.has(signatureOf(block) ?? "") && signatureOf(block) !== undefined;
		const blocks = asList(message["content"]);
		return message["role"] === "assistant" && blocks.some(isLeftOut)
			? { ...message, content: blocks.filter((block) => !isLeftOut(block)) }
			: value;
	});
	return { ...request, messages };
}

/** Undefined: the block is no thinking, or has no signature. */
function signatureOf(value: unknown): string | undefined {
	const block = asObject(value) ?? {};
	if (block["type"] === "redacted_thinking") return asName(block["data"]) ?? "";
	return block["type"] === "thinking" ? (asName(block["thinkingSignature"]) ?? asName(block["signature"])) : undefined;
}
