/** Messages as they go out. */
import type { JsonObject } from "../json/read.ts";
import type { Form, MessageView } from "./view.ts";

/**
 * A message as it goes out, still in its host's form: the user's words, an answer, or results. What a host sends in the
 * user's name (a summary, a command, a note) is the user's message here. undefined: it does not go out among the messages.
 */
export function toPlain(view: MessageView, form: Form): JsonObject | undefined {
	const { raw, speaker, shown } = view;
	if (!view.isSent || speaker === "system" || speaker === "other") return undefined;
	if (form === "anthropic") return { role: speaker === "assistant" ? "assistant" : "user", content: raw["content"] };
	if (form === "openai" || speaker !== "user" || raw["role"] === "user") return raw;
	const { content, timestamp } = raw;
	const text = shown ?? (typeof content === "string" ? content : undefined);
	return { role: "user", content: text === undefined ? content : [{ type: "text", text }], timestamp };
}
