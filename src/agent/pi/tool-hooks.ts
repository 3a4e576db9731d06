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
	if (live.removedTools.has(event.toolName))
		return {
			block: true,
			reason: `The tool ${event.toolName} is not available: a handler removed it. It was not run.`,
		};
	live.loop.window = live.ctx.model?.contextWindow;
	const verdict = live.loop.judge(toolCall(event));
	if (verdict.action === "block") return { block: true, reason: verdict.reason };
	if (verdict.input) Object.assign(event.input, verdict.input);
	return undefined;
}

export async function judgeResult(event: ToolResultEvent, live: LivePi): Promise<ToolResultEventResult | undefined> {
	const { isError, details, content } = event;
	const given = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
	const findWhole = toolClass(event.toolName) === "shell" ? () => wholeOutput(given) : undefined;
	const result = { text: given, isError, details, canReplace: true, findWhole };
	const seen = await live.loop.look(toolCall(event), result);
	if (seen.blob !== undefined) live.blobs.set(event.toolCallId, seen.blob);
	const text = insideText(seen);
	if (text === given && !seen.details) return undefined;
	const rest = content.filter((block) => block.type !== "text");
	// Pi records no diff of a write: these details put it into Pi's session.
	return {
		content: text === given ? content : [{ type: "text", text }, ...rest],
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
 * Pi's shell tools cut long output and name a temporary file with the whole of it after the text. The file does not last, so
 * it is read at once. `lost`: the file cannot be read. Undefined: Pi has not cut the output.
 */
export function wholeOutput(text: string): WholeOutput | "lost" | undefined {
	const cut = CUT.exec(text.slice(-5_000));
	const path = cut?.[1];
	// A command can print such a line too, so read only files with Pi's names.
	if (path === undefined || !/^pi-(?:bash|powershell)/.test(basename(path))) return undefined;
	const reading = readBounded(path, MAX_BYTES);
	return reading.kind === "bytes" ? { text: reading.bytes.toString("utf8"), status: cut?.[2] ?? "" } : "lost";
}
