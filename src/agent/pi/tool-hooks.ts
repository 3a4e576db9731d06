/** Pi's hooks around a tool call. Pi keeps only the text that `tool_result` returns. */
import { basename } from "node:path";
import type {
	ToolCallEvent,
	ToolCallEventResult,
	ToolResultEvent,
	ToolResultEventResult,
} from "@earendil-works/pi-coding-agent";
import { readBounded } from "../../base/file/regular-file.ts";
import { asObject } from "../../base/json/read.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { insideText, type ToolCall } from "../live/session.ts";
import type { WholeOutput } from "../live/tool-result.ts";
import type { LivePi } from "./live.ts";

export function judgeCall(event: ToolCallEvent, live: LivePi): ToolCallEventResult | undefined {
	const verdict = live.loop.judge(toolCall(event));
	if (verdict.action === "block") return { block: true, reason: verdict.reason };
	if (verdict.input) Object.assign(event.input, verdict.input);
	return undefined;
}

export async function judgeResult(event: ToolResultEvent, live: LivePi): Promise<ToolResultEventResult | undefined> {
	const { isError, details, content } = event;
	const said = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	const findWhole = toolClass(event.toolName) === "shell" ? () => wholeOutput(said) : undefined;
	const result = { text: said, isError, details, canReplace: true, findWhole };
	const seen = await live.loop.look(toolCall(event), result);
	if (seen.blob !== undefined) live.blobs.set(event.toolCallId, seen.blob);
	const text = insideText(seen);
	if (text === said && !seen.details) return undefined;
	const rest = content.filter((block) => block.type !== "text");
	// Pi notes nothing beside a write: from now on its session says what the write did.
	return {
		content: text === said ? content : [{ type: "text", text }, ...rest],
		details: seen.details ?? details,
		isError,
	};
}

function toolCall({ toolName, toolCallId, input }: ToolCallEvent | ToolResultEvent): ToolCall {
	return { tool: toolName, callId: toolCallId, input: asObject(input) ?? {} };
}

const CUT = /\n\n\[Showing [^\n\]]{1,200}\. Full output: ([^\n\]]{1,4096})\](\n\n[^\n]{1,200})?$/;
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Pi's shell tools cut long output themselves and leave the whole of it in a file, which they name after the text. The file
 * is gone with the machine's temporary folder, so it is read while it is there. Undefined: Pi has not cut the output, or the
 * file cannot be read.
 */
export function wholeOutput(text: string): WholeOutput | undefined {
	const cut = CUT.exec(text.slice(-5_000));
	const path = cut?.[1];
	// A command can print such a line too: only Pi's own files are read.
	if (path === undefined || !/^pi-(?:bash|powershell)/.test(basename(path))) return undefined;
	const reading = readBounded(path, MAX_BYTES);
	return reading.kind === "bytes" ? { text: reading.bytes.toString("utf8"), status: cut?.[2] ?? "" } : undefined;
}
