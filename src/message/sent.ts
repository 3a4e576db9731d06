/**
 * A recorded message as its host sends it, in the host's own form. What a host never sends (aborted answers, errors, notes
 * for people) is undefined. The same bytes for a live request, a look at the log and replay.
 */
import type { AnyPayload } from "../event/types.ts";
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../json/read.ts";
import { formatOf } from "./form/formats.ts";
import { viewMessage } from "./message.ts";

/** `payloads`: those of one message. More than one only where a host wrote an answer as several lines. */
export function sentMessage(payloads: readonly AnyPayload[]): JsonObject | undefined {
	const first = payloads[0];
	if (!first) return undefined;
	return first["form"] === "anthropic" ? sentAnthropic(payloads) : sentPi(asObject(first["raw"]) ?? {});
}

/** The provider's own id of an answer that a host may write as several lines; undefined: it is one line. */
export function answerId(payload: AnyPayload): string | undefined {
	if (payload["form"] !== "anthropic" || payload["role"] !== "assistant") return undefined;
	return asName(asObject(asObject(payload["raw"])?.["message"])?.["id"]);
}

/** A Pi entry, or a bare message in Pi's form, as it stands in Pi's own list. */
function sentPi(entry: JsonObject): JsonObject | undefined {
	const message = piMessage(entry);
	if (message["role"] === "system" || formatOf("pi").read(message).unsent) return undefined;
	const { content } = message;
	const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
	if (isEmpty && message["role"] !== "toolResult") return undefined;
	if (message["role"] !== "assistant") return message;
	if (typeof content !== "string" && !asList(content).some(isSaid)) return undefined;
	const isSigned = asList(content).some((block) => asName(asObject(block)?.["thinkingSignature"]) !== undefined);
	const isKnown = ["api", "provider", "model"].every((field) => asName(message[field]) !== undefined);
	return isSigned && !isKnown ? formatOf("pi").unsigned(message) : message;
}

function piMessage(entry: JsonObject): JsonObject {
	const timestamp = Date.parse(asText(entry["timestamp"]) ?? "");
	switch (entry["type"]) {
		case "custom_message": {
			const { customType, content, display, details } = entry;
			return { role: "custom", customType, content, display, details, timestamp };
		}
		case "branch_summary":
			return { role: "branchSummary", summary: entry["summary"], fromId: entry["fromId"], timestamp };
		case "compaction":
			return compactionSummary(asText(entry["summary"]) ?? "", asNumber(entry["tokensBefore"]) ?? 0, timestamp);
		default: {
			const message = asObject(entry["message"]) ?? entry;
			// Version 2 called them hook messages; Pi renames them when it opens the file.
			return message["role"] === "hookMessage" ? { ...message, role: "custom" } : message;
		}
	}
}

/** The message by which Pi shows a compaction to the model. */
export function compactionSummary(summary: string, tokensBefore: number, timestamp: number): JsonObject {
	return { role: "compactionSummary", summary, tokensBefore, timestamp };
}

function sentAnthropic(payloads: readonly AnyPayload[]): JsonObject | undefined {
	const views = payloads.map(viewMessage);
	const own = payloads.map(({ raw }) => asObject(asObject(raw)?.["message"]) ?? asObject(raw) ?? {});
	const { role, model } = views[0]!;
	// A line that the host made up itself, an error for example, was never sent.
	if (model === "<synthetic>" || role === "system" || role === "") return undefined;
	const content = own.length === 1 ? own[0]!["content"] : own.flatMap((message) => message["content"]);
	const sender = own[0]!["role"] === "assistant" ? "assistant" : "user";
	if (typeof content === "string") return content.trim() === "" ? undefined : { role: sender, content };
	const blocks = asList(content);
	const said = blocks.filter((block) => !isMute(asObject(block) ?? {}));
	return said.some(isSaid) ? { role: sender, content: said.length === blocks.length ? content : said } : undefined;
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
