/**
 * A Cline session as events; `docs/formats/cline.md` describes it. Its messages are like Anthropic's, with tools that take
 * lists: one result covers several commands or files.
 */

import {
	asInteger,
	asList,
	asName,
	asNumber,
	asObject,
	asText,
	asTime,
	type JsonObject,
	parseObject,
} from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { answerBlocks } from "../../message/dialect/anthropic/to-pi.ts";
import { blocksOf } from "../../message/dialect/content.ts";
import { type PiBlock, textBlock } from "../../message/dialect/pi/message.ts";
import type { Usage } from "../../message/usage.ts";
import { userWords } from "../../message/user-words.ts";
import { type NotedRead, type NotedRun, notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";
import { SessionWriter } from "../recorded/session-writer.ts";

export const CLINE = "cline";

export interface ClineSession {
	readonly session: string;
	readonly parent: string | undefined;
	readonly cwd: string | undefined;
	readonly version: string | undefined;
}

export class ClineTranslator {
	readonly #of: ClineSession;
	readonly #writer: SessionWriter;
	readonly #calls = new Map<string, { readonly tool: string; readonly input: JsonObject }>();
	#isFirst = true;

	constructor(of: ClineSession) {
		this.#of = of;
		this.#writer = new SessionWriter(CLINE, of.session);
	}

	translate(record: JsonObject, raw: string): NewEvent[] {
		const { cwd, version: format, parent: parentSession } = this.#of;
		const isHeader = Array.isArray(record["messages"]);
		const ts = asTime(isHeader ? record["updated_at"] : record["ts"]) ?? 0;
		const start = this.#writer.start({ ts, cwd, format, parentSession });
		const kept = this.#writer.record(isHeader ? "session" : "message", raw, ts);
		const from = kept.entry;
		if (!isHeader) return [...start, kept, ...this.#message(record, asName(record["id"]) ?? from, ts, from)];
		const prompt = asName(record["system_prompt"]);
		const message = { role: "system", content: textBlock(prompt ?? "") } as const;
		return [...start, kept, ...(prompt === undefined ? [] : this.#writer.say({ entry: "system", message, ts, from }))];
	}

	#message(message: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		const blocks = blocksOf(message["content"]);
		return message["role"] === "assistant"
			? this.#answer(message, blocks, id, ts, from)
			: this.#user(blocks, id, ts, from);
	}

	#answer(message: JsonObject, blocks: readonly JsonObject[], id: string, ts: number, from: string): NewEvent[] {
		const content = blocks.flatMap(answerBlocks).filter((block) => !isBlank(block));
		for (const block of content)
			if (block.type === "toolCall")
				this.#calls.set(block.id, { tool: block.name, input: asObject(block.arguments) ?? {} });
		const model = asObject(message["modelInfo"]);
		return this.#writer.say({
			entry: id,
			message: {
				role: "assistant",
				content,
				api: "cline",
				provider: asName(model?.["provider"]) ?? "unknown",
				model: asName(model?.["id"]) ?? "unknown",
				usage: usageOf(asObject(message["metrics"])),
			},
			ts,
			from,
		});
	}

	#user(blocks: readonly JsonObject[], id: string, ts: number, from: string): NewEvent[] {
		const events: NewEvent[] = [];
		for (const block of blocks) {
			if (block["type"] === "tool_result") events.push(...this.#result(block, id, ts, from));
		}
		const content = blocks.flatMap((block): PiBlock[] => {
			if (block["type"] === "image") return imageBlock(block);
			return block["type"] === "text" ? textBlock(asText(block["text"]) ?? "") : [];
		});
		if (content.length === 0) return events;
		const { parent, session } = this.#of;
		const isOwn = parent === undefined;
		const task = content.find((part) => part.type === "text")?.text;
		// Nothing in the parent's file names the sub-agent.
		if (parent !== undefined && this.#isFirst)
			events.push(...new SessionWriter(CLINE, parent).subagent(session, task, ts));
		this.#isFirst = false;
		events.push(
			...this.#writer.say({
				entry: id,
				message: { role: "user", content, attribution: isOwn ? undefined : "agent" },
				ts,
				from,
				ownWords: (text) => userWords(text, CLINE),
			}),
		);
		return events;
	}

	#result(block: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		const callId = asName(block["tool_use_id"]) ?? "";
		const call = this.#calls.get(callId) ?? { tool: asText(block["name"]) ?? "", input: {} };
		this.#calls.delete(callId);
		const answers = answersOf(block["content"]);
		const isError = block["is_error"] === true || answers.some(({ success }) => !success);
		const images = asList(block["content"]).flatMap((part) => {
			const image = asObject(part) ?? {};
			return image["type"] === "image" ? imageBlock(image) : [];
		});
		const noted = notesOf(call.tool, call.input, answers);
		return this.#writer.say({
			entry: `${id}/${callId}`,
			message: {
				role: "toolResult",
				toolCallId: callId,
				toolName: call.tool,
				content: [...textBlock(answers.map(({ text }) => text).join("\n")), ...images],
				isError,
				details: noted && { noted },
			},
			ts,
			from,
		});
	}
}

/** The answer to one command or file of a call. */
interface ItemAnswer {
	readonly query: string;
	readonly text: string;
	readonly success: boolean;
	readonly isText: boolean;
}

/** A list of answers, one of them as JSON text, or plain text. */
function answersOf(content: unknown): ItemAnswer[] {
	if (typeof content === "string") {
		const one = parseObject(content);
		return one && ("result" in one || "error" in one) ? [answerOf(one)] : [plain(content)];
	}
	return asList(content).flatMap((value) => {
		const item = asObject(value) ?? {};
		if ("query" in item || "result" in item) return [answerOf(item)];
		return item["type"] === "image" ? [] : [plain(asText(item["text"]) ?? asText(value) ?? "")];
	});
}

function answerOf(item: JsonObject): ItemAnswer {
	const { result } = item;
	const text = asText(result) ?? (result === undefined ? asText(item["error"]) : JSON.stringify(result)) ?? "";
	return {
		query: asText(item["query"]) ?? "",
		text,
		success: item["success"] !== false,
		isText: typeof result === "string",
	};
}

function plain(text: string): ItemAnswer {
	return { query: "", text, success: true, isText: true };
}

/** Undefined: the tool's name decides, as for a patch. */
function notesOf(tool: string, input: JsonObject, answers: readonly ItemAnswer[]): ReaderNotes | undefined {
	if (tool === "run_commands") {
		const commands = asList(input["commands"]).map(
			(command) => asText(command) ?? asText(asObject(command)?.["command"]),
		);
		const runs = commands.flatMap((command, index): NotedRun[] => {
			const answer = answers[index];
			return command === undefined ? [] : [{ command, exit: answer ? exitOf(answer) : null }];
		});
		return { runs };
	}
	if (tool === "read_files") {
		const files = asList(input["files"] ?? input["paths"]).map((file) => asObject(file) ?? { path: file });
		return { reads: files.flatMap((file, index) => readOf(file, answers[index])) };
	}
	return undefined;
}

function exitOf({ text, success }: ItemAnswer): number | null {
	const code = /Command exited with code (-?\d+)/.exec(text)?.[1];
	return code !== undefined ? Number(code) : success ? 0 : null;
}

/** `12 | text` */
function readOf(file: JsonObject, answer: ItemAnswer | undefined): NotedRead[] {
	const path = asName(file["path"]) ?? answer?.query;
	if (!answer?.success || path === undefined || path === "") return [];
	const lines = answer.text.split("\n").map((line) => /^\s*(\d+) \| ?(.*)$/s.exec(line));
	const numbered = lines.filter((line) => line !== null);
	const from = numbered[0] ? Number(numbered[0][1]) : (asInteger(file["start_line"]) ?? 1);
	const last = numbered.at(-1);
	const to = last ? Number(last[1]) : null;
	return [notedRead(path, from, to, last ? numbered.map((line) => line[2]).join("\n") : answer.text)];
}

function usageOf(metrics: JsonObject | undefined): Usage | undefined {
	if (!metrics) return undefined;
	const count = (name: string) => asNumber(metrics[name]) ?? 0;
	const [input, cacheRead, cacheWrite] = [count("inputTokens"), count("cacheReadTokens"), count("cacheWriteTokens")];
	const cost = count("cost") || count("totalCost");
	return {
		// Some providers count the cache as input, others do not. A part cannot be larger than the whole.
		input: input >= cacheRead + cacheWrite ? input - cacheRead - cacheWrite : input,
		output: count("outputTokens"),
		cacheRead,
		cacheWrite,
		cost: cost > 0 ? cost : undefined,
	};
}

function imageBlock(block: JsonObject): PiBlock[] {
	const source = asObject(block["source"]);
	const data = asName(source?.["data"]) ?? asName(block["data"]);
	if (data === undefined) return [];
	const mimeType =
		asName(source?.["media_type"]) ?? asName(block["mediaType"]) ?? asName(block["mimeType"]) ?? "image/png";
	return [{ type: "image", data, mimeType }];
}

function isBlank(block: PiBlock): boolean {
	return (block.type === "text" && block.text === "") || (block.type === "thinking" && block.thinking === "");
}
