/** Google's message parts, as Gemini CLI and Qwen Code write them, and the results of the tools that both have. */
import { sha256 } from "../../base/hash/sha256.ts";
import { asInteger, asList, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import { type Notes, notedRead } from "../../state/session/noted.ts";
import { type MadeBlock, type MadeUsage, textBlock, usageWithCacheInside } from "./session-writer.ts";

/** The blocks of a text or a list of parts, without results, which are messages of their own. */
export function partBlocks(content: unknown): MadeBlock[] {
	if (typeof content === "string") return textBlock(content);
	return asList(content).flatMap((value): MadeBlock[] => {
		const part = asObject(value) ?? {};
		const call = asObject(part["functionCall"]);
		if (call) return [callBlock(asName(call["id"]) ?? "", asText(call["name"]) ?? "", call["args"])];
		const data = asObject(part["inlineData"]);
		if (data) return [imageBlock(data)];
		const text = asText(part["text"]) ?? (typeof value === "string" ? value : "");
		if (part["thought"] === true) return text === "" ? [] : [{ type: "thinking", thinking: text }];
		return textBlock(text);
	});
}

export function callBlock(id: string, name: string, args: unknown): MadeBlock {
	return { type: "toolCall", id, name, arguments: asObject(args) ?? {} };
}

function imageBlock(data: JsonObject): MadeBlock {
	return { type: "image", data: asText(data["data"]) ?? "", mimeType: asText(data["mimeType"]) ?? "image/png" };
}

export interface PartResult {
	readonly id: string;
	readonly name: string;
	readonly text: string;
	readonly blocks: readonly MadeBlock[];
}

export function partResults(content: unknown): PartResult[] {
	const parts = asList(content).map((value) => asObject(value) ?? {});
	const results: PartResult[] = [];
	for (const part of parts) {
		const response = asObject(part["functionResponse"]);
		if (response) {
			const { output, error, ...rest } = asObject(response["response"]) ?? {};
			const other = Object.keys(rest).length > 0 ? JSON.stringify(rest) : "";
			const text = asText(output) ?? asText(error) ?? other;
			const inner = partBlocks(asList(response["parts"]));
			const blocks = [...textBlock(text), ...inner];
			results.push({ id: asName(response["id"]) ?? "", name: asText(response["name"]) ?? "", text, blocks });
			continue;
		}
		// Pictures follow their result.
		const last = results.pop();
		if (last) results.push({ ...last, blocks: [...last.blocks, ...partBlocks([part])] });
	}
	return results;
}

export function isResultOnly(content: unknown): boolean {
	const parts = asList(content);
	return parts.length > 0 && parts.every((part) => asObject(part)?.["functionResponse"] !== undefined);
}

/** Texts and call ids. Thoughts are missing from some copies of a message. */
export function wordsIn(blocks: readonly MadeBlock[]): string {
	return blocks
		.flatMap((block) => (block.type === "text" ? [block.text] : block.type === "toolCall" ? [block.id] : []))
		.join("\n");
}

const FINGERPRINT_DIGITS = 13;

/** Recognises a message by its words when it comes again under another id. 52 bits, which a number holds exactly. */
export function fingerprintOf(blocks: readonly MadeBlock[]): number {
	return Number.parseInt(sha256(wordsIn(blocks)).slice(0, FINGERPRINT_DIGITS), 16);
}

/** The token counts of one call. `total` shows whether the output includes the thoughts: versions differ. */
export function partUsage(of: {
	readonly input: unknown;
	readonly output: unknown;
	readonly cached: unknown;
	readonly thoughts: unknown;
	readonly tool?: unknown;
	readonly total: unknown;
}): MadeUsage {
	const count = (value: unknown) => asNumber(value) ?? 0;
	const [output, thoughts, total] = [count(of.output), count(of.thoughts), count(of.total)];
	const input = count(of.input) + count(of.tool);
	const all = total > 0 ? Math.max(output, total - input) : output + thoughts;
	return usageWithCacheInside({ input, cacheRead: count(of.cached), output: all, reasoning: thoughts });
}

export interface PartCall {
	readonly tool: string;
	readonly args: JsonObject;
	readonly text: string;
	/** What the program showed the user. */
	readonly display: unknown;
	readonly isError: boolean;
	readonly hasImage: boolean;
}

/** What a tool result means; undefined for a tool that only one of the programs has. */
export function partNotes({ tool, args, text, display, isError, hasImage }: PartCall): Notes | undefined {
	const path = asName(args["file_path"]) ?? asName(args["absolute_path"]) ?? asName(args["path"]);
	const shown = asObject(display);
	switch (tool) {
		case "read_file":
			return isError || path === undefined ? {} : { reads: [readOf(path, args, text, hasImage)] };
		case "replace":
		case "edit":
		case "write_file": {
			const file = asName(shown?.["filePath"]) ?? path;
			if (isError || file === undefined) return {};
			const created = shown?.["isNewFile"] === true || (tool === "write_file" && shown?.["originalContent"] === "");
			const content = asText(shown?.["newContent"]) ?? (tool === "write_file" ? asText(args["content"]) : undefined);
			const patch = asText(shown?.["fileDiff"]);
			return { changes: [{ path: file, kind: tool === "write_file" ? "write" : "edit", created, patch, content }] };
		}
		case "run_shell_command": {
			const command = asText(args["command"]);
			if (command === undefined) return {};
			const exit = asInteger(shown?.["exitCode"]) ?? exitIn(text);
			const isOpen = args["is_background"] === true || shown?.["outcome"] === "background";
			// The programs report only an exit code other than 0. A command that could not run has none.
			return { runs: [{ command, exit: exit ?? (isOpen || isError ? null : 0) }] };
		}
		default:
			return undefined;
	}
}

function exitIn(text: string): number | undefined {
	const code = /(?:^|\n)Exit Code: (-?\d+)/.exec(text)?.[1];
	return code === undefined ? undefined : Number(code);
}

/** Ends the remark before a part of a file. */
const PART_MARK = "--- FILE CONTENT (truncated) ---\n";

function readOf(path: string, args: JsonObject, text: string, hasImage: boolean) {
	if (hasImage) return notedRead(path, 1, null, text);
	const [, from, to] = /Showing lines (\d+)-(\d+) of \d+/.exec(text.slice(0, 500)) ?? [];
	if (from !== undefined && to !== undefined) {
		const at = text.indexOf(PART_MARK);
		return notedRead(path, Number(from), Number(to), at === -1 ? text : text.slice(at + PART_MARK.length));
	}
	const offset = asInteger(args["offset"]);
	const start = asInteger(args["start_line"]) ?? (offset === undefined ? 1 : offset + 1);
	return notedRead(path, start, start + countLines(text) - 1, text);
}
