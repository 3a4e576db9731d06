/**
 * A recorded message as its agent sends it, in the agent's own form. Undefined for messages that the agent never sends: aborted answers,
 * errors, notes for people. A live request, a look at the log and replay get the same bytes.
 */

import { asList, asName, asObject, asText, type JsonObject } from "../base/json/read.ts";
import type { AnyPayload } from "../log/event/types.ts";
import { formOf } from "./dialect/forms.ts";
import { type MessageView, viewMessage } from "./view.ts";

/** `payloads`: of one message. More than one only where an agent wrote an answer as several lines. */
export function sentMessage(payloads: readonly AnyPayload[]): JsonObject | undefined {
	const [first, ...others] = payloads.map(viewMessage);
	if (!first?.isSent || first.speaker === "system") return undefined;
	if (payloads[0]?.["form"] === "anthropic") return sentAnthropic(first, others);
	return sentPi(others.length === 0 ? first : joinViews(first, others));
}

/** The provider's own id of an answer that may be several lines; undefined: it is one line. */
export function answerId(payload: AnyPayload): string | undefined {
	if (payload["role"] !== "assistant") return undefined;
	if (payload["form"] !== "anthropic") return asName(payload["answer"]);
	return asName(asObject(asObject(payload["raw"])?.["message"])?.["id"]);
}

/** The message by which Pi shows a compaction to the model. */
export function compactionSummary(summary: string, tokensBefore: number, timestamp: number): JsonObject {
	return { role: "compactionSummary", summary, tokensBefore, timestamp };
}

/** One answer from several messages. */
function joinViews(first: MessageView, others: readonly MessageView[]): MessageView {
	const views = [first, ...others];
	const content = views.flatMap(({ raw }) => asList(raw["content"]));
	return { ...first, raw: { ...first.raw, content }, blocks: views.flatMap(({ blocks }) => blocks) };
}

/** As Pi's own list has it. */
function sentPi({ raw, role, speaker, blocks }: MessageView): JsonObject | undefined {
	const { content } = raw;
	if (speaker === "user" && (content === "" || (Array.isArray(content) && content.length === 0))) return undefined;
	const message = raw["role"] === role ? raw : { ...raw, role };
	if (speaker !== "assistant") return message;
	if (typeof content !== "string" && !asList(content).some(isSaid)) return undefined;
	// A signature counts only where api, provider and model are known.
	const isSigned = blocks.some((block) => block.kind === "thinking" && block.signature !== undefined);
	const isKnown = ["api", "provider", "model"].every((field) => asName(raw[field]) !== undefined);
	return isSigned && !isKnown ? formOf("pi").unsigned(message) : message;
}

function sentAnthropic(first: MessageView, others: readonly MessageView[]): JsonObject | undefined {
	const own = first.raw["content"];
	const content = others.length === 0 ? own : [own, ...others.map(({ raw }) => raw["content"])].flat();
	const role = first.speaker === "assistant" ? "assistant" : "user";
	if (typeof content === "string") return content.trim() === "" ? undefined : { role, content };
	const blocks = asList(content);
	const said = blocks.filter((block) => !isMute(asObject(block) ?? {}));
	return said.some(isSaid) ? { role, content: said.length === blocks.length ? content : said } : undefined;
}

/** Providers refuse a blank text and unsigned thinking. Agents leave both out. */
function isMute(block: JsonObject): boolean {
	if (block["type"] === "text") return (asText(block["text"]) ?? "").trim() === "";
	return block["type"] === "thinking" && asName(block["signature"]) === undefined;
}

/** Thinking alone says nothing. */
function isSaid(block: unknown): boolean {
	const { type, text } = asObject(block) ?? {};
	return type !== "thinking" && type !== "redacted_thinking" && (type !== "text" || asText(text)?.trim() !== "");
}
