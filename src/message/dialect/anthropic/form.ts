/**
 * Anthropic's form: a line of a Claude Code session, or a bare message of the Messages API. Results are blocks of the user's next message;
 * calls have their arguments in `input`.
 */
import { asList, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import type { Block, MessageView, Speaker } from "../../view.ts";
import { blocksOf, mapTexts, readBlock, readResult, readText } from "../content.ts";
import { type MessageForm, MISSING_RESULT, NO_RULES, type PlacedResult } from "../form.ts";
import { readAnthropicUsage } from "./answer.ts";
import { isResult } from "./to-pi.ts";

export const anthropicForm: MessageForm = {
	rules: { ...NO_RULES, joinsAnswers: true, refusesBlankText: true, needsSignatures: true },
	read: readMessage,
	withCallIds(raw, ids) {
		let next = 0;
		return {
			...raw,
			content: blocksOf(raw["content"]).map((block) => {
				if (block["type"] !== "tool_use") return block;
				const { arguments: args, ...rest } = block;
				return { ...rest, id: ids[next++] ?? "", input: block["input"] ?? args ?? {} };
			}),
		};
	},
	withoutResults(raw) {
		const content = blocksOf(raw["content"]).filter((block) => !isResult(block));
		return content.length === 0 ? undefined : { ...raw, content };
	},
	results: (placed) => [{ role: "user", content: placed.map(toBlock) }],
	mapResults(raw, change) {
		const blocks = asList(raw["content"]);
		const changed = blocks.map((value) => {
			const block = asObject(value) ?? {};
			if (!isResult(block)) return value;
			const content = mapTexts(block["content"], (text) => change(text, asText(block["tool_use_id"]) ?? ""));
			return content === block["content"] ? value : { ...block, content };
		});
		return changed.some((block, at) => block !== blocks[at]) ? { ...raw, content: changed } : raw;
	},
	// Its messages do not name the model that thought, so no signature can be known to be wrong.
	unsigned: (raw) => raw,
};

/** A line of Claude Code: the message, and the program's notes around it. */
export function readLine(line: JsonObject): MessageView {
	const view = readMessage(asObject(line["message"]) ?? line, line["toolUseResult"]);
	const timestamp = Date.parse(asText(line["timestamp"]) ?? "");
	const isSummary = line["isCompactSummary"] === true;
	const role = isSummary ? "compactionSummary" : view.role || (asText(line["type"]) ?? "");
	return {
		...view,
		role,
		speaker: isSummary ? "user" : (SPEAKERS.get(role) ?? "other"),
		timestamp: Number.isNaN(timestamp) ? undefined : timestamp,
		injected: isInjected(line) ? true : undefined,
	};
}

/** Lines in the user's name that the user did not write. */
function isInjected(line: JsonObject): boolean {
	return line["isMeta"] === true || line["isCompactSummary"] === true || line["isVisibleInTranscriptOnly"] === true;
}

function readMessage(raw: JsonObject, details?: unknown): MessageView {
	const { content } = raw;
	const blocks = typeof content === "string" ? readText(content) : readBlocks(asList(content), details);
	const named = asText(raw["role"]) ?? "";
	const role = named !== "assistant" && blocks.some(({ kind }) => kind === "result") ? "toolResult" : named;
	return {
		role,
		// A message of the role 'toolResult' is Pi's: this API does not take it.
		speaker: named === "toolResult" ? "other" : (SPEAKERS.get(role) ?? "other"),
		blocks,
		...(role === "assistant" ? readAnswer(raw) : {}),
		// Claude Code writes about errors and interruptions in the model's name.
		isSent: raw["model"] !== "<synthetic>",
		isIdentified: true,
		hasLateResult: hasLateResult(asList(content)),
		raw,
	};
}

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map<string, Speaker>([
	["user", "user"],
	["assistant", "assistant"],
	["toolResult", "result"],
	["system", "system"],
]);

function readBlocks(list: readonly unknown[], details: unknown): Block[] {
	const results = list.filter((block) => isResult(asObject(block) ?? {})).length;
	return list.flatMap((value) => {
		const raw = asObject(value) ?? {};
		if (!isResult(raw)) return [readBlock(value)];
		const callId = asText(raw["tool_use_id"]) ?? "";
		// The line has one note: with several results it is not known whose it is.
		const noted = results === 1 ? details : undefined;
		return readResult({ callId, isError: raw["is_error"] === true, details: noted, raw }, raw["content"]);
	});
}

function hasLateResult(list: readonly unknown[]): boolean {
	const isResultAt = list.map((block) => isResult(asObject(block) ?? {}));
	const firstOther = isResultAt.indexOf(false);
	return firstOther !== -1 && isResultAt.includes(true, firstOther);
}

function readAnswer(raw: JsonObject): Partial<MessageView> {
	return {
		provider: "anthropic",
		model: asText(raw["model"]),
		stopReason: asText(raw["stop_reason"]),
		usage: readAnthropicUsage(raw["usage"]),
	};
}

function toBlock({ callId, result }: PlacedResult): JsonObject {
	if (result) return { ...result.raw, tool_use_id: callId };
	return { type: "tool_result", tool_use_id: callId, content: MISSING_RESULT, is_error: true };
}
