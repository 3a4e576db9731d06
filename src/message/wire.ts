/** Messages as they go out: plain in their host's form, and in the form of a provider. */
import { EngineError } from "../base/error/engine-error.ts";
import type { JsonObject } from "../base/json/read.ts";
import { piToAnthropic } from "./dialect/anthropic/from-pi.ts";
import { anthropicToPi } from "./dialect/anthropic/to-pi.ts";
import { piToOpenai } from "./dialect/openai-chat/from-pi.ts";
import type { TargetModel } from "./dialect/pi/fit-to-model.ts";
import { type Form, type MessageView, readWire } from "./view.ts";

export type { TargetModel };

/**
 * The messages as a provider gets them. From Pi's form they equal what Pi itself sends; the system prompt is not among
 * them. Without a target every answer counts as one of the model that the request is for.
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
 * A message as it goes out, still in its host's form: the user's words, an answer, or results. What a host sends in the
 * user's name (a summary, a command, a note) is the user's message here. undefined: it does not go out among the messages.
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
