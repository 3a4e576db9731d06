/**
 * The text that full-text search indexes: messages, calls, results, commands and their output, summaries, decisions. Thinking has
 * a field of its own, images are left out, and answers of our own search tools are never indexed.
 */

import { asObject, asText, plainJson } from "../../base/json/read.ts";
import type { AnyPayload, EventRecord } from "../../log/event/types.ts";
import type { Searchable, SearchDoc } from "../../log/types.ts";
import { type MessageView, messageText, viewMessage } from "../../message/view.ts";

export const searchable: Searchable = (record: EventRecord) => {
	switch (record.type) {
		case "Message":
			return fromMessage(viewMessage(record.payload));
		case "Entry":
			return fromEntry(record.payload);
		case "Decision":
			return doc("decision", joined(record.payload["text"], record.payload["rationale"]));
		case "Custom":
			return fromCustom(record.payload);
		default:
			return undefined;
	}
};

/** Names of events in which an adapter keeps its own books. */
const BOOKS = /^(?:openclaw|weft)\./;

function fromCustom({ name, data }: AnyPayload): SearchDoc | undefined {
	return BOOKS.test(asText(name) ?? "") ? undefined : doc("custom", joined(name, dataText(data)));
}

function fromMessage(view: MessageView): SearchDoc | undefined {
	switch (view.role) {
		case "system":
			return undefined;
		case "assistant":
			return doc("assistant", assistantText(view), { thinking: thinkingText(view) });
		case "toolResult":
			return fromResult(view);
		case "bashExecution":
			return doc(view.role, `$ ${view.command?.command ?? ""}\n${view.command?.output ?? ""}`, { tool: view.tool });
		default:
			return doc(view.role, messageText(view), { thinking: thinkingText(view) });
	}
}

function assistantText(view: MessageView): string {
	const parts: string[] = [];
	for (const block of view.blocks) {
		if (block.kind === "text") parts.push(block.text);
		// A search must not find its own call, which is in the log before the search runs.
		else if (block.kind === "call" && !isOwnSearch(block.tool)) {
			parts.push(`[tool: ${block.tool}(${plainJson(block.input)})]`);
		}
	}
	return parts.join("\n");
}

function fromResult(view: MessageView): SearchDoc | undefined {
	const parts: string[] = [];
	for (const block of view.blocks) {
		if (block.kind === "text") parts.push(block.text);
		if (block.kind !== "result") continue;
		const tool = block.tool ?? view.tool ?? "";
		if (!isOwnSearch(tool)) parts.push(`[${tool}] ${block.text}`);
	}
	return doc("toolResult", parts.join("\n"), { tool: view.tool });
}

/** With or without the prefix that an agent gives to foreign tools. */
function isOwnSearch(tool: string): boolean {
	return /(?:^|__|[.:/])lcm_(?:grep|describe|expand)$/.test(tool);
}

function thinkingText(view: MessageView): string | undefined {
	const texts: string[] = [];
	for (const block of view.blocks) if (block.kind === "thinking" && block.text !== "") texts.push(block.text);
	return texts.length === 0 ? undefined : texts.join("\n");
}

/** Of the other entries only summaries are text that people read. */
function fromEntry(payload: AnyPayload): SearchDoc | undefined {
	const summary = asText(asObject(payload["raw"])?.["summary"]) ?? "";
	switch (payload["kind"]) {
		case "compaction":
		case "auto_compaction":
			return doc("compactionSummary", summary);
		case "branch_summary":
			return doc("branchSummary", summary);
		case "summary":
			return doc("summary", summary);
		default:
			return undefined;
	}
}

function doc(
	role: string,
	text: string,
	{ tool, thinking }: Pick<SearchDoc, "tool" | "thinking"> = {},
): SearchDoc | undefined {
	return text === "" && thinking === undefined ? undefined : { role, tool, text, thinking };
}

function joined(...parts: readonly unknown[]): string {
	return parts.filter((part) => typeof part === "string" && part !== "").join("\n");
}

function dataText(data: unknown): string {
	return data === undefined ? "" : typeof data === "string" ? data : plainJson(data);
}
