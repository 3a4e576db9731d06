/** Google's parts, in which Gemini CLI and Qwen Code write their messages, in Pi's form; and Google's usage. */
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { separateCache, type Usage } from "../usage.ts";
import { type PiBlock, type PiCall, type PiImage, textBlock } from "./pi/message.ts";

/** `content`: a text, or a list of parts. Skips results: they are messages of their own. */
export function partBlocks(content: unknown): PiBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap(readPart);
}

function readPart(value: unknown): PiBlock[] {
	const part = asObject(value) ?? {};
	const call = asObject(part["functionCall"]);
	if (call) return [callBlock(asName(call["id"]) ?? "", asText(call["name"]) ?? "", call["args"])];
	const data = asObject(part["inlineData"]);
	if (data) return [imageBlock(data)];
	const text = asText(part["text"]) ?? (typeof value === "string" ? value : "");
	if (part["thought"] === true) return text === "" ? [] : [{ type: "thinking", thinking: text }];
	return textBlock(text);
}

export function callBlock(id: string, name: string, args: unknown): PiCall {
	return { type: "toolCall", id, name, arguments: asObject(args) ?? {} };
}

function imageBlock(data: JsonObject): PiImage {
	return { type: "image", data: asText(data["data"]) ?? "", mimeType: asText(data["mimeType"]) ?? "image/png" };
}

/** The result of a tool. */
export interface PartResult {
	readonly id: string;
	readonly name: string;
	readonly text: string;
	readonly isError: boolean;
	readonly blocks: readonly PiBlock[];
}

export function partResults(content: unknown): PartResult[] {
	const results: (PartResult & { readonly blocks: PiBlock[] })[] = [];
	for (const value of asList(content)) {
		const response = asObject(asObject(value)?.["functionResponse"]);
		// A picture follows the result that it belongs to.
		if (!response) results.at(-1)?.blocks.push(...readPart(asObject(value)));
		else results.push(readResponse(response));
	}
	return results;
}

function readResponse(response: JsonObject): PartResult & { readonly blocks: PiBlock[] } {
	const { output, error, ...rest } = asObject(response["response"]) ?? {};
	const text = asText(output) ?? asText(error) ?? (Object.keys(rest).length > 0 ? JSON.stringify(rest) : "");
	return {
		id: asName(response["id"]) ?? "",
		name: asText(response["name"]) ?? "",
		text,
		isError: error !== undefined,
		blocks: [...textBlock(text), ...asList(response["parts"]).flatMap(readPart)],
	};
}

export function isResultOnly(content: unknown): boolean {
	const parts = asList(content);
	return parts.length > 0 && parts.every((part) => asObject(part)?.["functionResponse"] !== undefined);
}

/** Counts of one call, under the names that a program gives them. */
export interface GoogleCounts {
	readonly input: unknown;
	readonly output: unknown;
	readonly cached: unknown;
	readonly thoughts: unknown;
	readonly tool?: unknown;
	readonly total: unknown;
}

/** `total` settles whether `output` includes the thoughts: versions differ. */
export function readGoogleUsage(counts: GoogleCounts): Usage {
	const count = (kind: keyof GoogleCounts) => asNumber(counts[kind]) ?? 0;
	const [output, reasoning, total] = [count("output"), count("thoughts"), count("total")];
	const input = count("input") + count("tool");
	const all = total > 0 ? Math.max(output, total - input) : output + reasoning;
	return separateCache({ input, cacheRead: count("cached"), output: all, reasoning });
}
