/**
 * The arguments of a Claude Code hook, as its `mcp_tool` handlers pass them: each field a text, objects as JSON, "" for a
 * missing value. `hooks/hooks.json` of the plugin names the fields.
 */
import { asList, asName, asObject, asText, type JsonObject, parseObject } from "../../base/json/read.ts";

export interface ClaudeHookEvent {
	/** PreToolUse, PostToolUse, … */
	readonly event: string;
	readonly session: string | undefined;
	/** The sub-agent's id; undefined: the main agent. */
	readonly agent: string | undefined;
	readonly transcript: string | undefined;
	readonly cwd: string | undefined;
	readonly tool: string;
	readonly callId: string;
	readonly input: JsonObject;
	/** In the tool's own shape; of an edit or a write only the change, never the file. */
	readonly response: unknown;
	/** If the tool failed. */
	readonly error: string | undefined;
	/** In a batch: each call with its result as the model sees it. */
	readonly calls: readonly BatchCall[];
	readonly prompt: string | undefined;
	/** In a compaction: manual or auto, and the user's instructions for it. */
	readonly trigger: string | undefined;
	readonly words: string | undefined;
	/** Which part of the seed, from 1. */
	readonly part: number;
}

export interface BatchCall {
	readonly tool: string;
	readonly callId: string;
	readonly input: JsonObject;
	readonly text: string;
}

export function readHookEvent(args: JsonObject): ClaudeHookEvent {
	const text = (key: string) => asName(args[key]);
	return {
		event: text("event") ?? "",
		session: text("session"),
		agent: text("agent"),
		transcript: text("transcript"),
		cwd: text("cwd"),
		tool: text("tool") ?? "",
		callId: text("call") ?? "",
		input: parseObject(text("input")) ?? {},
		response: parse(text("response")) ?? readChange(text),
		error: text("error"),
		calls: asList(parse(text("calls"))).flatMap(batchCall),
		prompt: text("prompt"),
		trigger: text("trigger"),
		words: text("words"),
		part: Number(args["part"]) || 1,
	};
}

/** The whole answer of an edit holds the file as it was, however large: the hook passes on only these fields of it. */
function readChange(text: (key: string) => string | undefined): JsonObject | undefined {
	const [type, patch, modified] = [text("type"), parse(text("patch")), text("modified")];
	if (type === undefined && patch === undefined) return undefined;
	return {
		...(type !== undefined && { type }),
		...(patch !== undefined && { structuredPatch: patch }),
		userModified: modified === "true",
	};
}

function batchCall(value: unknown): BatchCall[] {
	const call = asObject(value);
	const [tool, callId] = [asName(call?.["tool_name"]), asName(call?.["tool_use_id"])];
	if (!call || tool === undefined || callId === undefined) return [];
	return [{ tool, callId, input: asObject(call["tool_input"]) ?? {}, text: textOf(call["tool_response"]) }];
}

/** A text, or blocks of content with texts in them. */
export function textOf(value: unknown): string {
	if (typeof value === "string") return value;
	const texts = asList(value).flatMap((block) => asText(asObject(block)?.["text"]) ?? []);
	return texts.join("\n");
}

/** A value that is not JSON is a plain text. */
function parse(text: string | undefined): unknown {
	if (text === undefined) return undefined;
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
