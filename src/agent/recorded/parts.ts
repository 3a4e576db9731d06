/** Google's parts, in which Gemini CLI and Qwen Code write what was said, and what their common tools answer. */
import { asInteger, asList, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import { notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";
import { type MadeBlock, type MadeUsage, textBlock, usageWithCacheInside } from "./session-writer.ts";

/** A text, or a list of parts. Results are left out: they are messages of their own. */
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

/** What a tool answered, from the parts of its result. */
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
			const inner = asList(response["parts"]).flatMap(partBlocks1);
			const blocks = [...textBlock(text), ...inner];
			results.push({ id: asName(response["id"]) ?? "", name: asText(response["name"]) ?? "", text, blocks });
		} else if (results.length > 0) {
			// Pictures stand after the result that they belong to.
			const last = results.pop()!;
			results.push({ ...last, blocks: [...last.blocks, ...partBlocks1(part)] });
		}
	}
	return results;
}

function partBlocks1(part: unknown): MadeBlock[] {
	return partBlocks([part]);
}

export function isResultOnly(content: unknown): boolean {
	const parts = asList(content);
	return parts.length > 0 && parts.every((part) => asObject(part)?.["functionResponse"] !== undefined);
}

/** Counts of one call. `total` settles whether thoughts are among the output: versions differ. */
export function partUsage(of: {
	readonly input: unknown;
	readonly output: unknown;
	readonly cached: unknown;
	readonly thoughts: unknown;
	readonly tool?: unknown;
	readonly total: unknown;
}): MadeUsage {
	const [input, output, cached, thoughts, tool, total] = [
		of.input,
		of.output,
		of.cached,
		of.thoughts,
		of.tool,
		of.total,
	].map((value) => asNumber(value) ?? 0) as [number, number, number, number, number, number];
	const all = total > 0 ? Math.max(output, total - input - tool) : output + thoughts;
	return usageWithCacheInside({ input: input + tool, cacheRead: cached, output: all, reasoning: thoughts });
}

export interface PartCall {
	readonly tool: string;
	readonly args: JsonObject;
	readonly text: string;
	/** What the program showed to the person. */
	readonly display: unknown;
	readonly isError: boolean;
	/** True: the result has a picture. */
	readonly hasImage: boolean;
}

/** What a result of the tools that both programs have means; undefined: the tool is none of them. */
export function partNotes({ tool, args, text, display, isError, hasImage }: PartCall): ReaderNotes | undefined {
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
			const told = asInteger(shown?.["exitCode"]) ?? exitIn(text);
			const isOpen = args["is_background"] === true || shown?.["outcome"] === "background";
			// Without a word about it, it ended well; one that could not be run did not.
			return { runs: [{ command, exit: told ?? (isOpen || isError ? null : 0) }] };
		}
		default:
			return undefined;
	}
}

function exitIn(text: string): number | undefined {
	const code = /(?:^|\n)Exit Code: (-?\d+)/.exec(text)?.[1];
	return code === undefined ? undefined : Number(code);
}

/** The end of the remark that stands before a part of a file. */
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
