/**
 * A message as it goes to a model, in one shape for all hosts, with the host's own content blocks left whole. What a host
 * never sends (aborted answers, errors, notes for people) is undefined.
 */
import type { AnyPayload } from "../event/types.ts";
import { asObject, type JsonObject } from "../json/read.ts";
import { type MessageView, messageText } from "./message.ts";

/** What an image counts, wherever it stands: its bytes are no measure of it. */
export const IMAGE_TOKENS = 1_600;

export type WireMessage =
	| { readonly role: "user"; readonly content: unknown }
	| { readonly role: "assistant"; readonly content: readonly unknown[] }
	| {
			readonly role: "toolResult";
			readonly toolCallId: string;
			readonly toolName?: string;
			readonly content: unknown;
			readonly isError: boolean;
	  };

/** The wire messages of one stored message: several where one line holds several tool results. */
export function wireMessages(payload: AnyPayload, view: MessageView): WireMessage[] {
	const message = innerMessage(payload);
	switch (view.role) {
		case "user":
		case "custom":
			return userMessage(message["content"] ?? asObject(payload["raw"])?.["content"]);
		case "assistant":
			if (view.stopReason === "error" || view.stopReason === "aborted") return [];
			return Array.isArray(message["content"]) && message["content"].length > 0
				? [{ role: "assistant", content: message["content"] }]
				: [];
		case "toolResult":
			return toolResults(payload, message, view);
		case "bashExecution":
			return view.command ? userMessage(ranByHand(view.command)) : [];
		case "compactionSummary":
		case "branchSummary":
			return userMessage(messageText(view));
		default:
			return [];
	}
}

/** Every text in a wire message, unescaped: what a model can read there. */
export function wireText(message: WireMessage): string {
	const texts: string[] = [];
	collect(message.content, texts);
	return texts.join("\n");
}

export function countImages(content: unknown): number {
	if (!Array.isArray(content)) return 0;
	return content.reduce<number>((sum, block) => {
		const fields = asObject(block);
		return sum + (fields?.["type"] === "image" ? 1 : countImages(fields?.["content"]));
	}, 0);
}

function userMessage(content: unknown): WireMessage[] {
	const empty = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
	return empty ? [] : [{ role: "user", content }];
}

function toolResults(payload: AnyPayload, message: JsonObject, view: MessageView): WireMessage[] {
	if (payload["form"] !== "anthropic") {
		const result = view.blocks.find((block) => block.kind === "result");
		if (!result) return [];
		const tool = view.tool === undefined ? {} : { toolName: view.tool };
		const { callId, isError } = result;
		return [{ role: "toolResult", toolCallId: callId, ...tool, content: message["content"], isError }];
	}
	const blocks = Array.isArray(message["content"]) ? message["content"] : [];
	const results: WireMessage[] = [];
	const rest: unknown[] = [];
	for (const block of blocks) {
		const fields = asObject(block);
		if (fields?.["type"] !== "tool_result") rest.push(block);
		else {
			const toolCallId = String(fields["tool_use_id"] ?? "");
			results.push({
				role: "toolResult",
				toolCallId,
				content: fields["content"],
				isError: fields["is_error"] === true,
			});
		}
	}
	return [...results, ...userMessage(rest)];
}

function ranByHand(command: {
	readonly command: string;
	readonly output: string;
	readonly exit: number | null;
}): string {
	const exit = command.exit === null || command.exit === 0 ? "" : `\n(exit ${command.exit})`;
	return `The user ran \`${command.command}\`:\n\n${command.output}${exit}`;
}

function innerMessage(payload: AnyPayload): JsonObject {
	const raw = asObject(payload["raw"]) ?? {};
	return asObject(raw["message"]) ?? raw;
}

/** Keys whose values are ids or bytes, not words. */
const SILENT = new Set([
	"type",
	"id",
	"signature",
	"thinkingSignature",
	"data",
	"mimeType",
	"media_type",
	"tool_use_id",
	"toolCallId",
]);

function collect(value: unknown, into: string[]): void {
	if (typeof value === "string") into.push(value);
	else if (typeof value === "number" || typeof value === "boolean") into.push(String(value));
	else if (Array.isArray(value)) for (const each of value) collect(each, into);
	else if (value !== null && typeof value === "object") {
		for (const [key, each] of Object.entries(value))
			if (!SILENT.has(key) || typeof each === "object") collect(each, into);
	}
}
