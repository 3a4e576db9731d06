/**
 * Lines of a Qwen Code session as events; `docs/formats/qwen.md` describes them. The tree is Claude Code's,
 * the messages are Google's parts. Telemetry lines repeat the others, also those of sub-agents, so they are only recorded.
 */

import { asList, asName, asNumber, asObject, asText, asTime, type JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { partBlocks, partResults, readGoogleUsage } from "../../message/dialect/google.ts";
import { userWords } from "../../message/user-words.ts";
import { partNotes } from "../recorded/gemini-tool-notes.ts";
import { fingerprintOf, wordsIn } from "../recorded/message-fingerprint.ts";
import { SessionWriter } from "../recorded/session-writer.ts";

export const QWEN = "qwen-code";

export interface QwenSession {
	readonly session: string;
	/** The session that a sub-agent works for. */
	readonly parent: string | undefined;
	readonly task?: string | undefined;
	readonly callId?: string | undefined;
	/** The model, where its lines do not name it. */
	readonly model?: string | undefined;
}

export class QwenTranslator {
	readonly #writer: SessionWriter;
	readonly #of: QwenSession;
	readonly #calls = new Map<string, { readonly tool: string; readonly args: JsonObject }>();
	/** Line to its message, or to the newest message before it. */
	readonly #messages = new Map<string, string | undefined>();
	/** The messages since the last compaction, by the fingerprints of their words. */
	#words = new Map<number, string>();
	/** The answer that the next line of the model continues. */
	#answer: { readonly id: string; readonly isCounted: boolean } | undefined;
	/** The last line. */
	#line: string | undefined;

	constructor(of: QwenSession) {
		this.#of = of;
		this.#writer = new SessionWriter(QWEN, of.session);
	}

	translate(line: JsonObject, raw: string): NewEvent[] {
		const ts = asTime(line["timestamp"]) ?? 0;
		const [id, parent] = [asName(line["uuid"]), asName(line["parentUuid"])];
		const start = this.#writer.start({
			ts,
			cwd: asName(line["cwd"]),
			format: asName(line["version"]),
			parentSession: this.#of.parent,
		});
		// A line that does not follow the one before it begins a branch.
		if (parent !== undefined && parent !== this.#line && this.#messages.has(parent)) {
			this.#writer.goBackTo(this.#messages.get(parent));
		}
		const kind = [asName(line["type"]) ?? "unknown", asName(line["subtype"])].filter(Boolean).join("/");
		const kept = this.#writer.record(kind, raw, ts);
		const made = this.#read(line, id ?? kept.entry, ts, kept.entry);
		if (id !== undefined) this.#messages.set(id, this.#writer.tip);
		this.#line = id;
		return [...start, kept, ...made];
	}

	#read(line: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		const message = asObject(line["message"]);
		switch (line["type"]) {
			case "user":
				return message ? this.#user(line, message, id, ts, from) : [];
			case "assistant":
				return message ? this.#model(line, message, id, ts, from) : [];
			case "tool_result":
				return message ? this.#results(line, message, id, ts, from) : [];
			case "system":
				return line["subtype"] === "chat_compression" ? this.#compress(line, ts, from) : [];
			default:
				return [];
		}
	}

	#user(line: JsonObject, message: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		this.#answer = undefined;
		const content = partBlocks(message["parts"]);
		const provenance = asName(line["provenance"]);
		const isOwn =
			this.#of.parent === undefined &&
			line["subtype"] !== "notification" &&
			(provenance === undefined || provenance === "real_user");
		this.#words.set(fingerprintOf(content), id);
		return this.#writer.say({
			entry: id,
			message: { role: "user", content, attribution: isOwn ? undefined : "agent" },
			ts,
			from,
			ownWords: (text) => userWords(text, QWEN),
		});
	}

	#model(line: JsonObject, message: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		const content = partBlocks(message["parts"]);
		for (const block of content) {
			if (block.type === "toolCall")
				this.#calls.set(block.id, { tool: block.name, args: asObject(block.arguments) ?? {} });
		}
		this.#words.set(fingerprintOf(content), id);
		const usage = usageOf(asObject(line["usageMetadata"]));
		// A sub-agent's answer may be two lines, one of them with its usage. A second usage is another answer's.
		if (this.#answer === undefined || (usage && this.#answer.isCounted)) this.#answer = { id, isCounted: false };
		if (usage) this.#answer = { ...this.#answer, isCounted: true };
		return this.#writer.say({
			entry: id,
			message: {
				role: "assistant",
				content,
				api: "openai-completions",
				provider: "qwen",
				model: asName(line["model"]) ?? this.#of.model ?? "unknown",
				usage,
			},
			ts,
			from,
			answer: this.#answer.id,
		});
	}

	#results(line: JsonObject, message: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		this.#answer = undefined;
		const outcome = asObject(line["toolCallResult"]);
		return partResults(message["parts"]).flatMap((result, index) => {
			const call = this.#calls.get(result.id);
			this.#calls.delete(result.id);
			const tool = call?.tool ?? result.name;
			const args = call?.args ?? {};
			const display = outcome?.["resultDisplay"];
			const isError = outcome?.["status"] === "error" || result.isError;
			const hasImage = result.blocks.some(({ type }) => type === "image");
			const child = childOf(tool, result.id, args, display, this.#of.session);
			const noted = child ? { child } : partNotes({ tool, args, text: result.text, display, isError, hasImage });
			return this.#writer.say({
				entry: index === 0 ? id : `${id}/${index + 1}`,
				message: {
					role: "toolResult",
					toolCallId: result.id,
					toolName: tool,
					content: result.blocks,
					isError,
					details: noted && { noted },
				},
				ts,
				from,
			});
		});
	}

	/** The line has the whole new history: messages that are known are kept, the rest is the summary. */
	#compress(line: JsonObject, ts: number, from: string): NewEvent[] {
		this.#answer = undefined;
		const payload = asObject(line["systemPayload"]);
		const history = asList(payload?.["compressedHistory"]).map((item) => asObject(item) ?? {});
		const same = history.map((item) => this.#words.get(fingerprintOf(partBlocks(item["parts"]))));
		const first = same.findIndex((entry) => entry !== undefined);
		const gone = first === -1 ? history : history.slice(0, first);
		const summary = gone.map((item) => wordsIn(partBlocks(item["parts"]))).join("\n\n");
		const tokensBefore = asNumber(asObject(payload?.["info"])?.["originalTokenCount"]);
		const kept = first === -1 ? undefined : same[first];
		if (kept === undefined) this.#words = new Map();
		return this.#writer.compact({ entry: `compaction ${from}`, summary, kept, tokensBefore, ts, from });
	}
}

/** The file of a sub-agent is named after its type and the call that began it. */
function childOf(tool: string, callId: string, args: JsonObject, display: unknown, session: string) {
	if (tool !== "task" && tool !== "agent") return undefined;
	const type = asName(args["subagent_type"]) ?? asName(args["agent_type"]) ?? "general-purpose";
	const agent = asName(asObject(display)?.["agentId"]) ?? `${type}-${callId}`;
	return { session: `${session}/${agent}`, task: asName(args["prompt"]) };
}

function usageOf(usage: JsonObject | undefined) {
	if (!usage) return undefined;
	return readGoogleUsage({
		input: usage["promptTokenCount"],
		output: usage["candidatesTokenCount"],
		cached: usage["cachedContentTokenCount"],
		thoughts: usage["thoughtsTokenCount"],
		total: usage["totalTokenCount"],
	});
}

/** Of a line: the session, and the agent where it is a sub-agent's. */
export function qwenSession(line: JsonObject, agentOfFile: string | undefined): QwenSession | undefined {
	const session = asName(line["sessionId"]);
	if (session === undefined) return undefined;
	const agent = asText(line["agentId"]) ?? agentOfFile;
	const isSide = line["isSidechain"] === true || agentOfFile !== undefined;
	return isSide && agent !== undefined
		? { session: `${session}/${agent}`, parent: session }
		: { session, parent: undefined };
}
