/** Claude Code's hooks around a tool call, and for calls that the program refused before any hook saw them. */
import { isAbsolute } from "node:path";
import { BoundedMap, BoundedSet } from "../../base/collection/bounded.ts";
import { readBounded } from "../../base/file/regular-file.ts";
import { asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { besideText, type LiveSession, type SeenResult, type ToolCall } from "../live/session.ts";
import type { WholeOutput } from "../live/tool-result.ts";
import { type ClaudeHookEvent, textOf } from "./hook-event.ts";
import { CLAUDE_CODE_PORT } from "./port.ts";
import { SideFiles } from "./side-files.ts";

/** An answer to a hook. Undefined: the program carries on. */
export type ClaudeHookAnswer = { readonly hookSpecificOutput: JsonObject } | undefined;

const MAX_OPEN_CALLS = 512;
const MAX_TEXTS_BEFORE = 32;
const MAX_TEXT_BEFORE_BYTES = 512 * 1024;

export class ToolHooks {
	/** Calls whose result the session has seen. */
	readonly #seen = new BoundedSet<string>(MAX_OPEN_CALLS);
	/** Where calls started, by their ids: a command may leave the shell in another folder. */
	readonly #startedIn = new BoundedMap<string, string>(MAX_OPEN_CALLS);

	/**
	 * The texts of files before their edits, by the calls' ids. Claude Code knows them too, but its hook would send the whole file,
	 * however large; its own diff has spaces instead of tabs.
	 */
	readonly #textBefore = new BoundedMap<string, string>(MAX_TEXTS_BEFORE);

	before(session: LiveSession, event: ClaudeHookEvent): ClaudeHookAnswer {
		if (event.cwd !== undefined) this.#startedIn.set(event.callId, event.cwd);
		this.#keepText(event);
		const verdict = session.judge(callOf(event));
		if (verdict.action === "block") {
			this.#seen.add(event.callId);
			return answer("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: verdict.reason });
		}
		return verdict.input && answer("PreToolUse", { updatedInput: verdict.input });
	}

	async after(session: LiveSession, event: ClaudeHookEvent): Promise<ClaudeHookAnswer> {
		const { callId } = event;
		const details = this.#withText(event);
		this.#seen.add(callId);
		const cwd = this.#startedIn.get(callId) ?? event.cwd;
		this.#startedIn.delete(callId);
		const isError = event.event === "PostToolUseFailure";
		const place = isError ? undefined : findText(event.tool, details);
		const text = place?.text ?? (isError ? (event.error ?? "") : shownText(event));
		const findWhole = () => (event.tool === "Bash" ? wholeOutput(text, event) : undefined);
		const result = { text, isError, details, canReplace: place !== undefined, findWhole };
		const seen = await session.look(callOf({ ...event, cwd }), result);
		return beside(event.event, seen, place && seen.text !== text ? place.put(seen.text) : undefined);
	}

	#keepText({ tool, callId, input }: ClaudeHookEvent): void {
		const path = tool === "Edit" ? asName(input["file_path"]) : undefined;
		const read = path === undefined || !isAbsolute(path) ? undefined : readBounded(path, MAX_TEXT_BEFORE_BYTES);
		if (read?.kind === "bytes") this.#textBefore.set(callId, read.bytes.toString("utf8"));
	}

	/** The tool's answer, with the text before the edit. */
	#withText({ callId, input, response }: ClaudeHookEvent): unknown {
		const originalFile = this.#textBefore.get(callId);
		this.#textBefore.delete(callId);
		const details = asObject(response);
		if (originalFile === undefined || !details || details["originalFile"] !== undefined) return response;
		const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = input;
		return { oldString, newString, replaceAll, ...details, originalFile };
	}

	/** An edit whose old text is not in the file fires no hook of its own. Here it gets the lines that are most like it. */
	async batch(session: LiveSession, event: ClaudeHookEvent): Promise<ClaudeHookAnswer> {
		const notes: string[] = [];
		for (const { tool, callId, input, text } of event.calls) {
			if (this.#seen.has(callId) || !/^<tool_use_error>|^Error/.test(text)) continue;
			this.#seen.add(callId);
			const call = callOf({ ...event, tool, callId, input });
			notes.push(...(await session.look(call, { text, isError: true, canReplace: false })).notes);
		}
		return beside(event.event, { text: "", notes });
	}
}

export function answer(hookEventName: string, more: JsonObject): NonNullable<ClaudeHookAnswer> {
	return { hookSpecificOutput: { hookEventName, ...more } };
}

function beside(event: string, seen: SeenResult, updatedToolOutput?: unknown): ClaudeHookAnswer {
	const additionalContext = besideText(seen, CLAUDE_CODE_PORT.maxBesideChars);
	if (additionalContext === undefined && updatedToolOutput === undefined) return undefined;
	return answer(event, {
		...(updatedToolOutput !== undefined && { updatedToolOutput }),
		...(additionalContext !== undefined && { additionalContext }),
	});
}

function callOf({ tool, callId, input, cwd: folder }: ClaudeHookEvent): ToolCall {
	return { tool, callId, input, folder };
}

/** The text of a tool's answer, without the shape around it. */
function shownText({ response }: ClaudeHookEvent): string {
	const object = asObject(response);
	if (!object) return textOf(response);
	const file = asText(asObject(object["file"])?.["content"]);
	const printed = [asText(object["stdout"]), asText(object["stderr"])].filter((text) => text);
	return (
		file ?? (printed.length > 0 ? printed.join("\n") : (asText(object["content"]) ?? asText(object["result"]) ?? ""))
	);
}

/** A mark that Claude Code puts where it has cut an output. */
const CUT = /\n\n\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\.(?:\n|$)/;

/** Claude Code saves the whole of a very long output in a file, and cuts other long ones for good. */
function wholeOutput(text: string, { transcript, response }: ClaudeHookEvent): WholeOutput | "lost" | undefined {
	const path = asName(asObject(response)?.["persistedOutputPath"]);
	if (path === undefined) return CUT.test(text) ? "lost" : undefined;
	const bytes = transcript === undefined ? undefined : new SideFiles(transcript).wholeOutput(path);
	return bytes ? { text: bytes.toString("utf8"), status: "" } : "lost";
}

/** The text of an answer that can be replaced. Claude Code ignores an answer in another shape than the tool's own. */
interface TextPlace {
	readonly text: string;
	put(text: string): unknown;
}

/** The field of a tool's answer that is its output. Reads are bounded before they run. */
const OUTPUT_FIELDS: Readonly<Record<string, string>> = { Bash: "stdout", Grep: "content", WebFetch: "result" };

function findText(tool: string, response: unknown): TextPlace | undefined {
	const field = OUTPUT_FIELDS[tool];
	const object = asObject(response);
	if (field !== undefined && object) {
		const text = asText(object[field]);
		// Of an output that it has saved, Claude Code shows only a preview of 2 KB.
		const { persistedOutputPath, persistedOutputSize, stdoutHoldsOutputEnd, ...rest } = object;
		return text === undefined ? undefined : { text, put: (next) => ({ ...rest, [field]: next }) };
	}
	return tool.startsWith("mcp__") ? findInBlocks(response) : undefined;
}

/** Another MCP server's answer: a text, or blocks with one text among them. */
function findInBlocks(response: unknown): TextPlace | undefined {
	if (typeof response === "string") return { text: response, put: (next) => next };
	if (!Array.isArray(response)) return undefined;
	const texts = response.filter((block) => asObject(block)?.["type"] === "text");
	const text = texts.length === 1 ? asText(asObject(texts[0])?.["text"]) : undefined;
	if (text === undefined) return undefined;
	return { text, put: (next) => response.map((block) => (block === texts[0] ? { ...block, text: next } : block)) };
}
