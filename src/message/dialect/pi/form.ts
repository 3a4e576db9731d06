/**
 * Pi's form: a session entry, or a bare message from Pi's `context` hook or from OpenClaw. Pi itself turns such messages into a provider's
 * form afterwards.
 */
import {
	asInteger,
	asList,
	asName,
	asNumber,
	asObject,
	asText,
	asTokens,
	type JsonObject,
} from "../../../base/json/read.ts";
import type { Usage } from "../../usage.ts";
import type { MessageView, Speaker } from "../../view.ts";
import { mapTexts, readContent, readResult, readText } from "../content.ts";
import { type MessageForm, MISSING_RESULT, NO_RULES, type PlacedResult } from "../form.ts";

export const piForm: MessageForm = {
	rules: NO_RULES,
	read: readPi,
	withCallIds(raw, ids) {
		let next = 0;
		return mapContent(raw, (block) => {
			if (!isCall(block)) return block;
			const id = ids[next++] ?? "";
			if (block["type"] === "tool_use") return { ...block, id };
			const { input, ...rest } = block;
			return { ...rest, id, arguments: block["arguments"] ?? input ?? {} };
		});
	},
	withoutResults: (raw) => (raw["role"] === "toolResult" ? undefined : raw),
	results: (placed) => placed.map(toMessage),
	mapResults(raw, change) {
		if (raw["role"] !== "toolResult") return raw;
		const content = mapTexts(raw["content"], (text) => change(text, asText(raw["toolCallId"]) ?? ""));
		return content === raw["content"] ? raw : { ...raw, content };
	},
	unsigned: (raw) =>
		mapContent(raw, (block) => {
			if (block["type"] !== "thinking") return block;
			const { thinkingSignature: _, signature: __, ...rest } = block;
			return rest;
		}),
};

/** Some entries are messages without a `message` field; reads the messages that Pi makes of them. */
export function readEntry(entry: JsonObject): MessageView {
	switch (entry["type"]) {
		case "custom_message": {
			const { customType, content, display, details } = entry;
			return readPi({ role: "custom", customType, content, display, details, timestamp: timeOf(entry) });
		}
		case "compaction": {
			const { summary, tokensBefore } = entry;
			return readPi({ role: "compactionSummary", summary, tokensBefore, timestamp: timeOf(entry) });
		}
		case "branch_summary": {
			const { summary, fromId } = entry;
			return readPi({ role: "branchSummary", summary, fromId, timestamp: timeOf(entry) });
		}
		default:
			return readPi(asObject(entry["message"]) ?? entry);
	}
}

function timeOf(entry: JsonObject): number | undefined {
	const time = Date.parse(asText(entry["timestamp"]) ?? "");
	return Number.isNaN(time) ? undefined : time;
}

type MutableView = { -readonly [K in keyof MessageView]: MessageView[K] };

function readPi(raw: JsonObject): MessageView {
	// Version 2 of the format called them hook messages; Pi renames them when it opens the file.
	const role = raw["role"] === "hookMessage" ? "custom" : (asText(raw["role"]) ?? "");
	const view: MutableView = {
		role,
		speaker: SPEAKERS.get(role) ?? "other",
		blocks: [],
		timestamp: asNumber(raw["timestamp"]),
		isSent: true,
		isIdentified: true,
		hasLateResult: false,
		raw,
	};
	switch (role) {
		case "assistant":
			view.blocks = readContent(raw["content"]);
			readAnswer(raw, view);
			break;
		case "toolResult": {
			const { toolCallId, isError, details, content } = raw;
			view.tool = asName(raw["toolName"]);
			const of = { callId: asText(toolCallId) ?? "", tool: view.tool, isError: isError === true, details, raw };
			view.blocks = readResult(of, content);
			break;
		}
		case "bashExecution":
			view.shown = shownCommand(raw);
			view.tool = "bash";
			view.command = readCommand(raw);
			view.isSent = raw["excludeFromContext"] !== true;
			break;
		case "compactionSummary":
		case "branchSummary":
			view.blocks = readText(raw["summary"]);
			view.shown = shownSummary(role, asText(raw["summary"]) ?? "");
			break;
		default:
			view.blocks = readContent(raw["content"]);
			view.injected = role === "custom" || raw["attribution"] === "agent" ? true : undefined;
	}
	return view;
}

/** Pi sends all but the last three in the user's name. */
const SPEAKERS: ReadonlyMap<string, Speaker> = new Map<string, Speaker>([
	["user", "user"],
	["custom", "user"],
	["bashExecution", "user"],
	["compactionSummary", "user"],
	["branchSummary", "user"],
	["assistant", "assistant"],
	["toolResult", "result"],
	["system", "system"],
]);

/** A summary in Pi's own words. */
function shownSummary(role: "compactionSummary" | "branchSummary", summary: string): string {
	return role === "compactionSummary"
		? `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${summary}\n</summary>`
		: `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${summary}</summary>`;
}

/** A command that the user ran, in Pi's own words to the model. */
function shownCommand(raw: JsonObject): string {
	const { exitCode, cancelled, truncated, fullOutputPath } = raw;
	const { command, output } = readCommand(raw);
	const parts = [`Ran \`${command}\`\n${output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``}`];
	if (cancelled) parts.push("(command cancelled)");
	else if (exitCode !== null && exitCode !== undefined && exitCode !== 0)
		parts.push(`Command exited with code ${String(exitCode)}`);
	if (truncated && fullOutputPath) parts.push(`[Output truncated. Full output: ${String(fullOutputPath)}]`);
	return parts.join("\n\n");
}

function readCommand(raw: JsonObject) {
	return {
		command: asText(raw["command"]) ?? "",
		output: asText(raw["output"]) ?? "",
		exit: raw["cancelled"] === true ? null : (asInteger(raw["exitCode"]) ?? null),
	};
}

const IDENTITY = ["api", "provider", "model"] as const;

function readAnswer(raw: JsonObject, view: MutableView): void {
	const stopReason = asText(raw["stopReason"]);
	// A message of role and content alone, as weft itself sends it, has none of these fields. Some of them are not enough.
	let known = 0;
	for (const field of IDENTITY) if (asName(raw[field]) !== undefined) known++;
	view.model = asText(raw["model"]);
	view.provider = asText(raw["provider"]);
	view.stopReason = stopReason;
	view.usage = readUsage(asObject(raw["usage"]));
	view.isSent = stopReason !== "error" && stopReason !== "aborted";
	view.isIdentified = known === 0 || known === IDENTITY.length;
}

function readUsage(usage: JsonObject | undefined): Usage | undefined {
	if (!usage) return undefined;
	return {
		input: asTokens(usage["input"]) ?? 0,
		output: asTokens(usage["output"]) ?? 0,
		cacheRead: asTokens(usage["cacheRead"]) ?? 0,
		cacheWrite: asTokens(usage["cacheWrite"]) ?? 0,
		cacheWriteLong: asTokens(usage["cacheWrite1h"]),
		reasoning: asTokens(usage["reasoning"]),
		cost: asNumber(asObject(usage["cost"])?.["total"]),
		costs: readCosts(asObject(usage["cost"])),
	};
}

/** Messages of other agents keep their own blocks. */
function isCall(block: JsonObject): boolean {
	return block["type"] === "toolCall" || block["type"] === "tool_use";
}

function mapContent(raw: JsonObject, change: (block: JsonObject) => JsonObject): JsonObject {
	if (!Array.isArray(raw["content"])) return raw;
	return { ...raw, content: asList(raw["content"]).map((block) => change(asObject(block) ?? {})) };
}

function toMessage({ callId, tool, result, message }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, toolCallId: callId };
	return {
		role: "toolResult",
		toolCallId: callId,
		toolName: tool,
		content: [{ type: "text", text: MISSING_RESULT }],
		isError: true,
		// Of the call: the current time would change the bytes with each request.
		timestamp: message["timestamp"] ?? 0,
	};
}

function readCosts(cost: JsonObject | undefined): Usage["costs"] {
	const input = asNumber(cost?.["input"]);
	const cacheRead = asNumber(cost?.["cacheRead"]);
	const cacheWrite = asNumber(cost?.["cacheWrite"]);
	return input === undefined || cacheRead === undefined || cacheWrite === undefined
		? undefined
		: { input, cacheRead, cacheWrite, output: asNumber(cost?.["output"]) };
}
