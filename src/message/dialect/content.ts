/** Content of messages: a text, or a list of blocks. Agents mix the blocks of all forms, so one reader knows them all. */
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { withoutNotes } from "../note.ts";
import type { Block, ReadResult } from "../view.ts";

export function readContent(content: unknown): Block[] {
	return typeof content === "string" ? readText(content) : asList(content).map(readBlock);
}

/** Content as a list of blocks. */
export function blocksOf(content: unknown): readonly JsonObject[] {
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return asList(content).map((block) =>
		typeof block === "string" ? { type: "text", text: block } : (asObject(block) ?? {}),
	);
}

export function readText(text: unknown): Block[] {
	return typeof text === "string" && text !== "" ? [{ kind: "text", text }] : [];
}

export function readBlock(value: unknown): Block {
	if (typeof value === "string") return { kind: "text", text: value };
	const block = asObject(value) ?? {};
	switch (block["type"]) {
		case "text":
		case "input_text":
		case "output_text":
			return { kind: "text", text: asText(block["text"]) ?? "" };
		case "thinking": {
			const signature = asName(block["thinkingSignature"]) ?? asName(block["signature"]);
			return { kind: "thinking", text: asText(block["thinking"]) ?? "", signature };
		}
		case "image":
		case "image_url":
		case "input_image":
			return { kind: "image", mimeType: asText(block["mimeType"] ?? asObject(block["source"])?.["media_type"]) };
		case "toolCall":
		case "tool_use":
			return readCall(block);
		case "server_tool_use":
			return { ...readCall(block), byProvider: true };
		default:
			return { kind: "other", name: asText(block["type"]) ?? "", text: collectWords(block).join("\n") };
	}
}

function readCall(block: JsonObject) {
	const [id, tool] = [asText(block["id"]) ?? "", asText(block["name"]) ?? ""];
	return { kind: "call", id, tool, input: block["arguments"] ?? block["input"] ?? {} } as const;
}

/** A result, and after it the pictures and documents in its content. */
export function readResult(of: Omit<ReadResult, "kind" | "text" | "shown">, content: unknown): Block[] {
	const texts: string[] = [];
	const others: Block[] = [];
	for (const block of readContent(content)) {
		if (block.kind === "text") texts.push(block.text);
		else others.push(block);
	}
	const shown = texts.join("\n");
	// The entry holds our notes too; events are derived from the tool's own words alone.
	const result: ReadResult = { kind: "result", ...of, text: withoutNotes(shown), shown };
	return [result, ...others];
}

/** Arguments of a call, from JSON text. Text that is not JSON comes back as it is. */
export function parseArguments(value: unknown): unknown {
	if (typeof value !== "string") return value;
	try {
		return JSON.parse(value === "" ? "{}" : value);
	} catch {
		return value;
	}
}

/** Content with other texts; the same value where none changes. */
export function mapTexts(content: unknown, change: (text: string) => string): unknown {
	if (typeof content === "string") return change(content);
	if (!Array.isArray(content)) return content;
	let isChanged = false;
	const blocks = content.map((value) => {
		const block = asObject(value);
		const text = block?.["type"] === "text" ? asText(block["text"]) : undefined;
		const changed = text === undefined ? undefined : change(text);
		if (changed === text) return value;
		isChanged = true;
		return { ...block, text: changed };
	});
	return isChanged ? blocks : content;
}

/** Keys whose values are ids or bytes, not words. */
const WORDLESS_KEYS = new Set([
	"type",
	"id",
	"signature",
	"thinkingSignature",
	"data",
	"mimeType",
	"media_type",
	"tool_use_id",
	"toolCallId",
	"encrypted_content",
]);
const MAX_LEVEL = 64;

/** The values in some JSON, unescaped. Stops at a cycle. */
export function collectWords(value: unknown, words: string[] = [], above = new Set<object>()): string[] {
	if (typeof value === "string") words.push(value);
	else if (typeof value === "number" || typeof value === "boolean") words.push(String(value));
	else if (value !== null && typeof value === "object" && !above.has(value) && above.size < MAX_LEVEL) {
		above.add(value);
		for (const [key, each] of Object.entries(value))
			if (!WORDLESS_KEYS.has(key) || typeof each === "object") collectWords(each, words, above);
		above.delete(value);
	}
	return words;
}
