/** ReaderNotes about files and commands, from results of the tools that Gemini CLI and Qwen Code share. */
import { asInteger, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import type { ReaderNotes } from "../../state/session/reader-notes.ts";
import { notedRead } from "../../state/session/reader-notes.ts";

export interface PartCall {
	readonly tool: string;
	readonly args: JsonObject;
	readonly text: string;
	/** The result as the person saw it. */
	readonly display: unknown;
	readonly isError: boolean;
	/** True: the result has a picture. */
	readonly hasImage: boolean;
}

/** Undefined: the tool is none of those that both programs have. */
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
			const exit = asInteger(shown?.["exitCode"]) ?? exitIn(text);
			const isOpen = args["is_background"] === true || shown?.["outcome"] === "background";
			// No exit code means success, unless the command could not be run.
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
