/**
 * Words that the user typed while Claude Code worked. It gives them to the model between two steps, and has no message for them: newer
 * versions write an attachment, older ones only that the words were queued and taken from the queue.
 */
import { asList, asObject, asText } from "../base/json/read.ts";

/** `typed`: they wait. `given`: the model gets them, or, without words, the first that wait. `left`: they come as a message, or not at all. */
export type QueueChange =
	| { readonly kind: "typed"; readonly words: string }
	| { readonly kind: "given"; readonly words?: string | undefined }
	| { readonly kind: "left"; readonly all: boolean };

/** What an entry of the agent's file says about its queue. */
export function queueChangeIn(raw: unknown): QueueChange | undefined {
	const line = asObject(raw);
	if (line?.["type"] === "attachment") {
		const attachment = asObject(line["attachment"]);
		if (attachment?.["type"] !== "queued_command") return undefined;
		return { kind: "given", words: textOf(attachment["prompt"]) };
	}
	if (line?.["type"] !== "queue-operation") return undefined;
	switch (line["operation"]) {
		case "enqueue":
			return { kind: "typed", words: textOf(line["content"]) };
		case "remove":
			return { kind: "given" };
		case "dequeue":
			return { kind: "left", all: false };
		case "popAll":
			return { kind: "left", all: true };
		default:
			return undefined;
	}
}

function textOf(prompt: unknown): string {
	const blocks = asList(prompt).map((block) => asText(asObject(block)?.["text"]) ?? "");
	return asText(prompt) ?? blocks.join("\n").trim();
}
