/** Messages in Pi's form: a session entry, or a bare message as OpenClaw hands it over. */
import { asInteger, asList, asName, asNumber, asObject, asText, type JsonObject } from "../json/read.ts";
import type { Block, MessageView, Usage } from "./message.ts";
import { withoutNotes } from "./note.ts";

export function viewPi(raw: unknown): MessageView {
	const entry = asObject(raw) ?? {};
	switch (entry["type"]) {
		case "custom_message":
			return { role: "custom", blocks: contentBlocks(entry["content"]), injected: true };
		case "compaction":
			return { role: "compactionSummary", blocks: textBlocks(entry["summary"]) };
		case "branch_summary":
			return { role: "branchSummary", blocks: textBlocks(entry["summary"]) };
		default:
			return viewPiMessage(asObject(entry["message"]) ?? entry);
	}
}

function viewPiMessage(message: JsonObject): MessageView {
	const timestamp = asNumber(message["timestamp"]);
	const time = timestamp === undefined ? {} : { timestamp };
	// Version 2 called them hook messages; Pi renames them when it opens the file.
	const role = message["role"] === "hookMessage" ? "custom" : (asText(message["role"]) ?? "");
	switch (role) {
		case "assistant":
			return { role, blocks: contentBlocks(message["content"]), ...time, ...modelOf(message) };
		case "toolResult":
			return { ...viewResult(message), ...time };
		case "bashExecution":
			return { role, blocks: [], tool: "bash", ...time, command: userCommand(message) };
		case "compactionSummary":
		case "branchSummary":
			return { role, blocks: textBlocks(message["summary"]), ...time };
		default: {
			const injected = role === "custom" || message["attribution"] === "agent";
			return { role, blocks: contentBlocks(message["content"]), ...time, ...(injected ? { injected } : {}) };
		}
	}
}

function viewResult(message: JsonObject): MessageView {
	const tool = asName(message["toolName"]);
	const inner = contentBlocks(message["content"]);
	const texts: string[] = [];
	for (const block of inner) if (block.kind === "text") texts.push(block.text);
	const result: Block = {
		kind: "result",
		callId: asText(message["toolCallId"]) ?? "",
		...(tool === undefined ? {} : { tool }),
		// Our remarks are in the entry; what is derived from a result is derived from the tool's own words.
		text: withoutNotes(texts.join("\n")),
		isError: message["isError"] === true,
		...(message["details"] === undefined ? {} : { details: message["details"] }),
	};
	const rest = inner.filter((block) => block.kind !== "text");
	return { role: "toolResult", blocks: [result, ...rest], ...(tool === undefined ? {} : { tool }) };
}

function userCommand(message: JsonObject) {
	return {
		command: asText(message["command"]) ?? "",
		output: asText(message["output"]) ?? "",
		exit: message["cancelled"] === true ? null : (asInteger(message["exitCode"]) ?? null),
	};
}

function modelOf(message: JsonObject): Partial<MessageView> {
	const model = asText(message["model"]);
	const provider = asText(message["provider"]);
	const stopReason = asText(message["stopReason"]);
	const usage = usageOf(asObject(message["usage"]));
	return {
		...(model === undefined ? {} : { model }),
		...(provider === undefined ? {} : { provider }),
		...(stopReason === undefined ? {} : { stopReason }),
		...(usage === undefined ? {} : { usage }),
	};
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
	if (!usage) return undefined;
	const cost = asNumber(asObject(usage["cost"])?.["total"]);
	return {
		input: asNumber(usage["input"]) ?? 0,
		output: asNumber(usage["output"]) ?? 0,
		cacheRead: asNumber(usage["cacheRead"]) ?? 0,
		cacheWrite: asNumber(usage["cacheWrite"]) ?? 0,
		...(cost === undefined ? {} : { cost }),
	};
}

function contentBlocks(content: unknown): Block[] {
	return typeof content === "string" ? textBlocks(content) : asList(content).map(readBlock);
}

function textBlocks(text: unknown): Block[] {
	return typeof text === "string" && text !== "" ? [{ kind: "text", text }] : [];
}

function readBlock(value: unknown): Block {
	if (typeof value === "string") return { kind: "text", text: value };
	const block = asObject(value) ?? {};
	switch (block["type"]) {
		case "text":
			return { kind: "text", text: asText(block["text"]) ?? "" };
		case "thinking": {
			const signature = asName(block["thinkingSignature"]);
			const text = asText(block["thinking"]) ?? "";
			return signature === undefined ? { kind: "thinking", text } : { kind: "thinking", text, signature };
		}
		case "image": {
			const mimeType = asText(block["mimeType"]);
			return mimeType === undefined ? { kind: "image" } : { kind: "image", mimeType };
		}
		case "toolCall":
			return {
				kind: "call",
				id: asText(block["id"]) ?? "",
				tool: asText(block["name"]) ?? "",
				input: block["arguments"] ?? {},
			};
		default:
			return { kind: "other", name: asText(block["type"]) ?? "" };
	}
}
