/**
 * A recorded message as its host sends it, in the host's own form. What a host never sends (aborted answers, errors, notes
 * for people) is undefined. The same bytes for a live request, a look at the log and replay.
 */

import { asList, asName, asObject, asText, type JsonObject } from "../base/json/read.ts";
import type { AnyPayload } from "../log/event/types.ts";
import { formOf } from "./dialect/forms.ts";
import { type MessageView, viewMessage } from "./view.ts";

/** `payloads`: those of one message. More than one only where a host wrote an answer as several lines. */
export function sentMessage(payloads: readonly AnyPayload[]): JsonObject | undefined {
	const views = payloads.map(viewMessage);
	const [first] = views;
	if (!first?.isSent || first.speaker === "system") return undefined;
	if (payloads[0]?.["form"] === "anthropic") return sentAnthropic(views);
	return sentPi(views.length === 1 ? first : joinViews(views));
}

/** The provider's own id of an answer that a host may write as several lines; undefined: it is one line. */
export function answerId(payload: AnyPayload): string | undefined {
	if (payload["role"] !== "assistant") return undefined;
	if (payload["form"] !== "anthropic") return asName(payload["answer"]);
	return asName(asObject(asObject(payload["raw"])?.["message"])?.["id"]);
}

/** The message by which Pi shows a compaction to the model. */
export function compactionSummary(summary: string, tokensBefore: number, timestamp: number): JsonObject {
	return { role: "compactionSummary", summary, tokensBefore, timestamp };
}

/** One answer that stands in several messages, as one. */
function joinViews(views: readonly MessageView[]): MessageView {
	const first = views[0]!;
	const content = views.flatMap(({ raw }) => asList(raw["content"]));
	return { ...first, raw: { ...first.raw, content }, blocks: views.flatMap(({ blocks }) => blocks) };
}

/** As it stands in Pi's own list. */
function sentPi({ raw, role, speaker, blocks }: MessageView): JsonObject | undefined {
	const { content } = raw;
	if (speaker === "user" && (content === "" || (Array.isArray(content) && content.length === 0))) return undefined;
	const message = raw["role"] === role ? raw : { ...raw, role };
	if (speaker !== "assistant") return message;
	if (typeof content !== "string" && !asList(content).some(isSaid)) return undefined;
	// A signature is worth something only where it is known in full who thought.
	const isSigned = blocks.some((block) => block.kind === "thinking" && block.signature !== undefined);
	const isKnown = ["api", "provider", "model"].every((field) => asName(raw[field]) !== undefined);
	return isSigned && !isKnown ? formOf("pi").unsigned(message) : message;
}

function sentAnthropic(views: readonly MessageView[]): JsonObject | undefined {
	const contents = views.map(({ raw }) => raw["content"]);
	const content = contents.length === 1 ? contents[0] : contents.flat();
	const role = views[0]!.speaker === "assistant" ? "assistant" : "user";
	if (typeof content === "string") return content.trim() === "" ? undefined : { role, content };
	const blocks = asList(content);
	const said = blocks.filter((block) => !isMute(asObject(block) ?? {}));
	return said.some(isSaid) ? { role, content: said.length === blocks.length ? content : said } : undefined;
}

/** Providers refuse a blank text, and thinking that nobody signed. Hosts leave both out. */
function isMute(block: JsonObject): boolean {
	if (block["type"] === "text") return (asText(block["text"]) ?? "").trim() === "";
	return block["type"] === "thinking" && asName(block["signature"]) === undefined;
}

/** Thinking alone says nothing to anybody. */
function isSaid(block: unknown): boolean {
	const { type, text } = asObject(block) ?? {};
	return type !== "thinking" && type !== "redacted_thinking" && (type !== "text" || asText(text)?.trim() !== "");
}
