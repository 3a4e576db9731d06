/** Messages as they go out, in their agent's form and in the form of a provider. */
import { EngineError } from "../base/error/engine-error.ts";
import type { JsonObject } from "../base/json/read.ts";
import { piToAnthropic } from "./dialect/anthropic/from-pi.ts";
import { anthropicToPi } from "./dialect/anthropic/to-pi.ts";
import { piToOpenai } from "./dialect/openai-chat/from-pi.ts";
import type { TargetModel } from "./dialect/pi/fit-to-model.ts";
import { type Form, type MessageView, readWire } from "./view.ts";

export type { TargetModel };

/**
 * The messages as a provider gets them, without the system prompt. From Pi's form they equal those that Pi itself sends. Without a target
 * every answer counts as one of the model that the request is for.
 */
export function toWire(
	messages: readonly unknown[],
	from: Form,
	to: "anthropic" | "openai",
	target?: TargetModel,
): JsonObject[] {
	if (from === "anthropic" && to === "openai") {
		const plain = messages
			.map((message) => toPlain(readWire(message, from), from))
			.filter((message) => message !== undefined);
		return piToOpenai(anthropicToPi(plain) as readonly object[] as readonly JsonObject[], target);
	}
	if (from !== "pi" && from !== to)
		throw new EngineError("unknown-format", `Messages in the form '${from}' cannot be sent in the form '${to}'.`);
	const views = messages.map((message) => readWire(message, from));
	const plain = views.flatMap((view) => {
		// A failed answer is not sent, but it ends the wait for results before it.
		const message = from === "pi" && view.speaker === "assistant" ? view.raw : toPlain(view, from);
		return message ? [message] : [];
	});
	if (from !== "pi") return plain;
	return to === "anthropic" ? piToAnthropic(plain, target) : piToOpenai(plain, target);
}

/**
 * A message as it goes out, still in its agent's form: the user's words, an answer, or results. A summary, a command or a note that the
 * agent sends in the user's name is a message of the user. Undefined: it does not go out among the messages.
 */
export function toPlain(view: MessageView, form: Form): JsonObject | undefined {
	const { raw, speaker, shown } = view;
	if (!view.isSent || speaker === "other") return undefined;
	if (form === "openai") return raw;
	if (speaker === "system") return undefined;
	if (form === "anthropic") return { role: speaker === "assistant" ? "assistant" : "user", content: raw["content"] };
	if (speaker !== "user" || raw["role"] === "user") return raw;
	const { content, timestamp } = raw;
	const text = shown ?? (typeof content === "string" ? content : undefined);
	return { role: "user", content: text === undefined ? content : [{ type: "text", text }], timestamp };
}
