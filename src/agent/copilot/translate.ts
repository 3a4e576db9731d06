/**
 * Events of a GitHub Copilot CLI session as ours; `docs/formats/copilot.md` describes them. The usage of a call comes before
 * its answer. The same file holds the sub-agents, with an `agentId`: each is a session of its own.
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
} from "../../base/json/read.ts";
import { countLines } from "../../base/text/lines.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { type PiBlock, type PiImage, textBlock } from "../../message/dialect/pi/message.ts";
import { separateCache, type Usage } from "../../message/usage.ts";
import { type NotedChange, notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";
import { SessionWriter } from "../recorded/session-writer.ts";

export const COPILOT = "copilot-cli";

interface ToolRequest {
	readonly tool: string;
	readonly input: JsonObject;
}

/** A result comes soon after its pictures. */
const MAX_ASSET_CHARS = 32_000_000;

/** One agent's conversation. */
interface AgentThread {
	readonly writer: SessionWriter;
	readonly calls: Map<string, ToolRequest>;
	readonly usage: Map<string, Usage>;
	/** Entries that are sent, the oldest first. */
	sent: string[];
	/** How many of them were removed. */
	removed: number;
	/** Those of them that are results. */
	readonly results: Set<string>;
}

export class CopilotTranslator {
	readonly #session: string;
	readonly #threads = new Map<string, AgentThread>();
	/** Pictures, for the results that name them; the newest. */
	readonly #assets = new Map<string, PiImage>();
	#assetChars = 0;
	/** The agent that a call began. */
	readonly #agents = new Map<string, string>();
	#cwd: string | undefined;
	#version: string | undefined;

	constructor(session: string) {
		this.#session = session;
	}

	translate(event: JsonObject, raw: string): NewEvent[] {
		const ts = asTime(event["timestamp"]) ?? 0;
		const data = asObject(event["data"]) ?? {};
		const kind = asName(event["type"]) ?? "unknown";
		if (kind === "session.start") {
			this.#cwd = asName(asObject(data["context"])?.["cwd"]) ?? this.#cwd;
			this.#version = asName(data["copilotVersion"]);
		}
		const agent = asName(event["agentId"]);
		const thread = this.#thread(agent);
		const start = thread.writer.start({
			ts,
			cwd: this.#cwd,
			format: this.#version,
			parentSession: agent === undefined ? undefined : this.#session,
		});
		const kept = thread.writer.record(kind, raw, ts);
		const id = asName(event["id"]) ?? kept.entry;
		return [...start, kept, ...this.#read(kind, data, { thread, id, ts, from: kept.entry, agent })];
	}

	#read(kind: string, data: JsonObject, at: EventContext): NewEvent[] {
		const { thread, id } = at;
		switch (kind) {
			case "user.message": {
				const own = asText(data["content"]) ?? "";
				const text = asName(data["transformedContent"]) ?? own;
				const attribution =
					at.agent !== undefined || asName(data["source"])?.startsWith("system") ? "agent" : undefined;
				return say(at, id, { role: "user", content: textBlock(text), attribution }, own);
			}
			case "system.message":
				return say(at, id, { role: "system", content: textBlock(asText(data["content"]) ?? "") });
			case "session.usage_record": {
				const usage = asObject(data["usage"]) ?? {};
				thread.usage.set(asName(usage["apiCallId"]) ?? asName(data["apiCallId"]) ?? "", usageOf(usage));
				return [];
			}
			case "assistant.message":
				return this.#answer(data, at);
			case "tool.execution_complete":
				return this.#result(data, at);
			case "session.binary_asset":
				this.#keepAsset(data);
				return [];
			case "subagent.started":
			case "subagent.configured": {
				const call = asName(data["toolCallId"]);
				if (call !== undefined && at.agent !== undefined) this.#agents.set(call, at.agent);
				return [];
			}
			case "session.truncation":
				return this.#truncated(asInteger(data["messagesRemovedDuringTruncation"]) ?? 0, at);
			case "session.compaction_complete":
				return data["success"] === true ? this.#compacted(data, at) : [];
			default:
				return [];
		}
	}

	#answer(data: JsonObject, at: EventContext): NewEvent[] {
		const { thread, id } = at;
		const content: PiBlock[] = [];
		const thinking = asName(data["reasoningText"]);
		if (thinking !== undefined)
			content.push({ type: "thinking", thinking, thinkingSignature: asName(data["reasoningOpaque"]) });
		content.push(...textBlock(asText(data["content"]) ?? ""));
		for (const value of asList(data["toolRequests"])) {
			const request = asObject(value) ?? {};
			const [callId, tool] = [asName(request["toolCallId"]) ?? "", asText(request["name"]) ?? ""];
			const input = asObject(request["arguments"]) ?? { input: request["arguments"] };
			thread.calls.set(callId, { tool, input });
			content.push({ type: "toolCall", id: callId, name: tool, arguments: input });
		}
		const call = asName(data["apiCallId"]) ?? "";
		const usage = thread.usage.get(call);
		thread.usage.delete(call);
		const model = asName(data["model"]) ?? "unknown";
		return say(at, id, { role: "assistant", content, api: "copilot", provider: "github-copilot", model, usage });
	}

	#result(data: JsonObject, at: EventContext): NewEvent[] {
		const { thread, id } = at;
		const callId = asName(data["toolCallId"]) ?? "";
		const call = thread.calls.get(callId) ?? { tool: "", input: {} };
		thread.calls.delete(callId);
		const result = asObject(data["result"]) ?? {};
		const isError = data["success"] === false;
		const text =
			asText(result["content"]) ?? asText(asObject(data["error"])?.["message"]) ?? asText(data["error"]) ?? "";
		const images = asList(result["binaryResultsForLlm"]).flatMap((value) => {
			const asset = asObject(value) ?? {};
			return this.#assets.get(asName(asset["assetId"]) ?? "") ?? imageIn(asset) ?? [];
		});
		const agent = this.#agents.get(callId) ?? agentIn(data);
		const noted = notesOf(call, data, text, isError, images.length > 0, agent && `${this.#session}/${agent}`);
		return say(at, id, {
			role: "toolResult",
			toolCallId: callId,
			toolName: call.tool,
			content: [...textBlock(text), ...images],
			isError,
			details: noted && { noted },
		});
	}

	#keepAsset(data: JsonObject): void {
		const [id, image] = [asName(data["assetId"]), imageIn(data)];
		if (id === undefined || !image) return;
		this.#dropAsset(id);
		this.#assets.set(id, image);
		this.#assetChars += image.data.length;
		for (const oldest of this.#assets.keys()) {
			if (this.#assetChars <= MAX_ASSET_CHARS || this.#assets.size === 1) break;
			this.#dropAsset(oldest);
		}
	}

	#dropAsset(id: string): void {
		this.#assetChars -= this.#assets.get(id)?.data.length ?? 0;
		this.#assets.delete(id);
	}

	/** The oldest messages left without a summary. A result leaves with its call. */
	#truncated(removed: number, at: EventContext): NewEvent[] {
		const { thread, ts, from } = at;
		if (removed <= 0) return [];
		thread.removed = Math.min(thread.removed + removed, thread.sent.length);
		while (thread.results.has(thread.sent.at(thread.removed) ?? "")) thread.removed++;
		const summary = `(The program removed the ${removed} oldest messages.)`;
		return thread.writer.compact({
			entry: `compaction ${from}`,
			summary,
			kept: thread.sent.at(thread.removed),
			ts,
			from,
		});
	}

	#compacted(data: JsonObject, { thread, ts, from }: EventContext): NewEvent[] {
		const summary =
			asName(data["summaryContent"]) ?? asName(data["summary"]) ?? "(The file does not hold the summary.)";
		thread.sent = [];
		thread.removed = 0;
		const tokensBefore = asNumber(data["preCompactionTokens"]) ?? asNumber(data["tokensBefore"]);
		return thread.writer.compact({ entry: `compaction ${from}`, summary, tokensBefore, ts, from });
	}

	#thread(agent: string | undefined): AgentThread {
		const session = agent === undefined ? this.#session : `${this.#session}/${agent}`;
		let thread = this.#threads.get(session);
		if (!thread) {
			const writer = new SessionWriter(COPILOT, session);
			thread = { writer, calls: new Map(), usage: new Map(), sent: [], removed: 0, results: new Set() };
			this.#threads.set(session, thread);
		}
		return thread;
	}
}

/** Where an event of the file belongs. */
interface EventContext {
	readonly thread: AgentThread;
	readonly id: string;
	readonly ts: number;
	readonly from: string;
	readonly agent: string | undefined;
}

function say(
	at: EventContext,
	entry: string,
	message: Parameters<SessionWriter["say"]>[0]["message"],
	own?: string,
): NewEvent[] {
	if (message.role !== "system") at.thread.sent.push(entry);
	if (message.role === "toolResult") at.thread.results.add(entry);
	const ownWords = own === undefined ? undefined : () => own;
	return at.thread.writer.say({ entry, message, ts: at.ts, from: at.from, ownWords });
}

function imageIn(asset: JsonObject): PiImage | undefined {
	const data = asName(asset["data"]);
	return data === undefined ? undefined : { type: "image", data, mimeType: asName(asset["mimeType"]) ?? "image/png" };
}

function agentIn(data: JsonObject): string | undefined {
	return asName(asObject(asObject(data["toolTelemetry"])?.["restrictedProperties"])?.["agent_id"]);
}

function usageOf(usage: JsonObject): Usage {
	return separateCache({
		input: asNumber(usage["inputTokens"]) ?? 0,
		cacheRead: asNumber(usage["cacheReadTokens"]),
		cacheWrite: asNumber(usage["cacheWriteTokens"]),
		output: asNumber(usage["outputTokens"]) ?? 0,
		reasoning: asNumber(usage["reasoningTokens"]),
	});
}

/** The last line of a command's output, in versions that write it nowhere else. */
const EXIT_LINE = /(?:^|\n)<(?:exited with|shellId: \S+ completed with) exit code (\d+)>\s*$/;

function exitIn(text: string): number | undefined {
	const found = EXIT_LINE.exec(text)?.[1];
	return found === undefined ? undefined : Number(found);
}

function notesOf(
	{ tool, input }: ToolRequest,
	data: JsonObject,
	text: string,
	isError: boolean,
	hasImage: boolean,
	child: string | undefined,
): ReaderNotes | undefined {
	const path = asName(input["path"]);
	const exit = asInteger(asObject(data["shellExecution"])?.["exitCode"]) ?? exitIn(text);
	const command = asText(input["command"]);
	if (tool === "task" && child !== undefined) return { child: { session: child, task: asName(input["prompt"]) } };
	if (/^(?:bash|powershell|shell)$/.test(tool) && command !== undefined)
		return { runs: [{ command, exit: exit ?? null }] };
	const files = asList(data["fileEdits"]).map((value) => asObject(value) ?? {});
	if (files.length > 0) {
		if (isError) return {};
		const patch = files.length === 1 ? asText(asObject(data["result"])?.["detailedContent"]) : undefined;
		return {
			changes: files.flatMap((file): NotedChange[] => {
				const name = asName(file["path"]);
				const kind = asName(file["kind"]);
				if (name === undefined) return [];
				if (kind === "delete") return [{ path: name, kind: "delete" }];
				if (kind !== "create") return [{ path: name, kind: "edit", patch }];
				return [{ path: name, kind: "write", created: true, content: asText(input["file_text"]) }];
			}),
		};
	}
	if (tool !== "view" || path === undefined) return undefined;
	if (isError) return {};
	const [from, to] = asList(input["view_range"]).map(asInteger);
	if (hasImage) return { reads: [notedRead(path, 1, null, text)] };
	const start = from ?? 1;
	return { reads: [notedRead(path, start, to !== undefined && to > 0 ? to : start + countLines(text) - 1, text)] };
}
