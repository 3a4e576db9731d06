/**
 * Lines of a Codex rollout as events; `docs/formats/codex.md` says what of them we rely on. The response items are the
 * history as it was sent; the events beside them tell exit codes, diffs and what a command read. One call of the model is
 * one message: its items, up to the record of its usage.
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
import type { NewEvent } from "../../log/event/types.ts";
import { unpackSeed } from "../live/codex-seed.ts";
import {
	imageOfUrl,
	type MadeBlock,
	type MadeUsage,
	recordName,
	SessionWriter,
	textBlock,
	usageWithCacheInside,
	type WrittenMessage,
} from "../recorded/session-writer.ts";
import { CallNotes } from "./call-notes.ts";
import { isUsersOwn, ownWordsInCodex } from "./own-words.ts";
import { ParentLines } from "./parent-lines.ts";

export const CODEX = "codex";

/** A thread's name: a sub-agent's stands after that of the thread that began it all. */
export function codexSession(meta: JsonObject): string | undefined {
	const [thread, root] = [asName(meta["id"]), asName(meta["session_id"])];
	const first = root ?? parentOf(meta);
	const isChild = parentOf(meta) !== undefined && first !== undefined && first !== thread;
	return thread !== undefined && isChild ? `${first}/${thread}` : (thread ?? root);
}

/** The thread that a sub-agent works for; before 0.160 or so it stood in its source alone. */
function parentOf(meta: JsonObject): string | undefined {
	const spawned = asObject(asObject(asObject(meta["source"])?.["subagent"])?.["thread_spawn"]);
	return asName(meta["parent_thread_id"]) ?? asName(spawned?.["parent_thread_id"]);
}

interface OpenAnswer {
	readonly entry: string;
	readonly blocks: MadeBlock[];
	/** Names of its items. */
	readonly items: Set<string>;
	readonly ts: number;
	readonly from: string;
}

export class CodexTranslator {
	readonly #writer: SessionWriter;
	readonly #notes: CallNotes;
	readonly #parentLines = new ParentLines();
	/** These lines are a parent's: what they say was said, and paid for, there. */
	#isCopy = false;
	#isSubagent = false;
	#items = 0;
	#model: string | undefined;
	#provider = "openai";
	/** The answer that is being read, and the results that came before its usage was told. */
	#answer: OpenAnswer | undefined;
	#results: WrittenMessage[] = [];
	/** Usage is told by records of its own: the older counters repeat it. */
	#hasRecords = false;
	/** The last answer whose usage was told. */
	#response: string | undefined;
	#total = "";
	/** What stood before each of the user's messages, since the last compaction: where a rollback leads. */
	#before: (string | undefined)[] = [];
	/** What stood before the turn that has begun, until the user speaks in it. */
	#turn: { readonly tip: string | undefined } | undefined;

	/** Set: no line will tell the usage, so nothing ends an answer. Its items are messages at once, under this name. */
	#bare: { answer: string | undefined } | undefined;

	constructor(session: string, { hasUsage = true }: { readonly hasUsage?: boolean } = {}) {
		this.#writer = new SessionWriter(CODEX, session);
		this.#notes = new CallNotes(session.split("/")[0]!);
		this.#bare = hasUsage ? undefined : { answer: undefined };
	}

	/** A line of the parent; undefined: the fork takes nothing from here on. */
	copy(line: JsonObject, raw: string, until: number): NewEvent[] | undefined {
		const ordinal = asInteger(line["ordinal"]);
		if (ordinal !== undefined && ordinal >= until) return undefined;
		this.#isCopy = true;
		try {
			return this.#read(line, recordName(raw)).filter(isOfCopy);
		} finally {
			this.#isCopy = false;
		}
	}

	translate(line: JsonObject, raw: string): NewEvent[] {
		const ts = asTime(line["timestamp"]) ?? 0;
		const payload = asObject(line["payload"]) ?? {};
		const isCopy = this.#parentLines.has(line);
		const start = line["type"] === "session_meta" && !isCopy ? this.#start(payload, ts) : [];
		const kind = asName(line["type"]) ?? "unknown";
		const kept = this.#writer.record(kind, raw, ts);
		// The last answer of the parent's has no usage here to end it.
		const last = this.#isCopy && !isCopy ? this.#flush().filter(isOfCopy) : [];
		this.#isCopy = isCopy;
		const made = this.#read(line, kept.entry);
		return [...start, kept, ...last, ...(isCopy ? made.filter(isOfCopy) : made)];
	}

	#start(meta: JsonObject, ts: number): NewEvent[] {
		const parent = parentOf(meta);
		this.#isSubagent = parent !== undefined;
		this.#provider = asName(meta["model_provider"]) ?? this.#provider;
		this.#notes.cwd = asName(meta["cwd"]);
		return this.#writer.start({
			ts,
			cwd: asName(meta["cwd"]),
			format: asName(meta["cli_version"]),
			parentSession: parent ?? asName(meta["forked_from_id"]),
		});
	}

	#read(line: JsonObject, from: string): NewEvent[] {
		const ts = asTime(line["timestamp"]) ?? 0;
		const payload = asObject(line["payload"]) ?? {};
		switch (line["type"]) {
			case "session_meta":
				return this.#systemPrompt(payload, ts, from);
			case "turn_context":
				this.#model = asName(payload["model"]) ?? this.#model;
				return [];
			case "response_item":
				return this.#item(payload, ts, from);
			case "event_msg":
				return this.#event(payload, ts, from);
			case "token_usage_record":
				return this.#usage(payload, ts, from);
			case "compacted":
				return [...this.#flush(), ...this.#compacted(payload, ts, from)];
			default:
				return [];
		}
	}

	#systemPrompt(meta: JsonObject, ts: number, from: string): NewEvent[] {
		if (this.#isCopy) return [];
		const text = asName(asObject(meta["base_instructions"])?.["text"]);
		if (text === undefined) return [];
		return this.#say({
			entry: "system",
			message: { role: "system", content: textBlock(text) },
			ts,
			from,
		});
	}

	#item(item: JsonObject, ts: number, from: string): NewEvent[] {
		const name = asName(item["id"]) ?? `item:${this.#items}`;
		this.#items++;
		const type = asText(item["type"]) ?? "";
		const isAnswer = !type.endsWith("_output") && (type !== "message" || item["role"] === "assistant");
		if (this.#bare && !isAnswer) this.#bare.answer = undefined;
		if (!isAnswer && type === "message") return [...this.#flush(), ...this.#spoken(item, name, ts, from)];
		if (!isAnswer) return this.#result(item, name, ts, from);
		// A line that stands there twice.
		if (this.#answer?.items.has(name)) return [];
		const blocks = blocksOf(item, this.#notes);
		if (blocks === undefined) return [];
		if (this.#bare) {
			this.#bare.answer ??= name;
			const part = { entry: name, message: this.#answered(blocks), ts, from, answer: this.#bare.answer };
			return blocks.length === 0 ? [] : this.#say(part);
		}
		// Results stand between: it is the next call of the model.
		const before = this.#results.length > 0 ? this.#flush() : [];
		this.#answer ??= { entry: name, blocks: [], items: new Set(), ts, from };
		this.#answer.items.add(name);
		this.#answer.blocks.push(...blocks);
		return before;
	}

	#spoken(item: JsonObject, entry: string, ts: number, from: string): NewEvent[] {
		const content = asList(item["content"]).flatMap(contentBlock);
		const isUsers = item["role"] === "user" && isUsersOwn(item);
		const isOwn = isUsers && !this.#isSubagent;
		if (isUsers && !this.#writer.has(entry)) {
			this.#before.push((this.#turn ?? this.#writer).tip);
			this.#turn = undefined;
		}
		return this.#say({
			entry,
			message: { role: "user", content, attribution: isOwn ? undefined : "agent" },
			ts,
			from,
			ownWords: ownWordsInCodex,
		});
	}

	#result(item: JsonObject, entry: string, ts: number, from: string): NewEvent[] {
		const callId = asName(item["call_id"]) ?? "";
		const output = item["output"];
		const content = outputBlocks(output);
		const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
		const { tool, isError, noted } = this.#notes.take(callId, text);
		const message = {
			role: "toolResult",
			toolCallId: callId,
			toolName: tool,
			content,
			isError: isError || asObject(output)?.["success"] === false,
			details: noted && { noted },
		} as const;
		const said: WrittenMessage = { entry, message, ts, from };
		if (!this.#answer) return this.#say(said);
		this.#results.push(said);
		return [];
	}

	#event(event: JsonObject, ts: number, from: string): NewEvent[] {
		switch (event["type"]) {
			case "item_completed":
				this.#notes.note(asObject(event["item"]) ?? {});
				return [];
			case "exec_command_end":
			case "patch_apply_end":
				this.#notes.noteEnd(event);
				return [];
			case "token_count":
				return this.#hasRecords ? [] : this.#count(asObject(event["info"]), ts, from);
			case "task_started":
				this.#turn = { tip: this.#writer.tip };
				return [];
			case "task_complete":
			case "turn_aborted":
				return this.#flush();
			case "thread_rolled_back":
				return this.#rollBack(asInteger(event["num_turns"]) ?? 0);
			default:
				return [];
		}
	}

	/** The user took the newest turns back: what comes next does not see them. */
	#rollBack(turns: number): NewEvent[] {
		const last = this.#flush();
		const taken = turns > 0 ? this.#before.splice(-turns) : [];
		if (taken.length > 0) this.#writer.goBackTo(taken[0]);
		return last;
	}

	/** Of the answer before it. A compaction by the provider leaves no items: its call is told by its usage alone. */
	#usage(record: JsonObject, ts: number, from: string): NewEvent[] {
		this.#hasRecords = true;
		const response = asName(record["response_id"]);
		// A line that stands there twice.
		if (response !== undefined && response === this.#response && !this.#answer) return [];
		this.#response = response;
		this.#answer ??= {
			entry: `usage ${response ?? from}`,
			blocks: [],
			items: new Set(),
			ts,
			from,
		};
		return this.#flush(usageOf(asObject(record["usage"])), response);
	}

	/** The counters repeat themselves: only a changed total tells of a call. That of a summary leaves no items. */
	#count(info: JsonObject | undefined, ts: number, from: string): NewEvent[] {
		const total = JSON.stringify(info?.["total_token_usage"] ?? "");
		if (!info || total === this.#total) return [];
		this.#total = total;
		const usage = usageOf(asObject(info["last_token_usage"]));
		if (!usage || usage.input + usage.cacheRead + usage.output === 0) return [];
		if (!this.#isCopy) this.#answer ??= { entry: `usage ${from}`, blocks: [], items: new Set(), ts, from };
		return this.#flush(usage);
	}

	#flush(usage?: MadeUsage, response?: string): NewEvent[] {
		const [answer, results] = [this.#answer, this.#results];
		this.#answer = undefined;
		this.#results = [];
		if (!answer) return [];
		const { entry, ts, from, blocks } = answer;
		const message = this.#answered(blocks, usage);
		return [{ entry, message, ts, from, answer: response }, ...results].flatMap((said) => this.#say(said));
	}

	#answered(content: readonly MadeBlock[], usage?: MadeUsage): WrittenMessage["message"] {
		return {
			role: "assistant",
			content,
			api: "openai-responses",
			provider: this.#provider,
			model: this.#model ?? "unknown",
			// What a fork took over was paid for in its parent.
			usage: this.#isCopy ? undefined : usage,
		};
	}

	#compacted(payload: JsonObject, ts: number, from: string): NewEvent[] {
		const kept = asList(payload["replacement_history"]).flatMap((value) => {
			const item = asObject(value) ?? {};
			if (item["type"] === "compaction")
				return [unpackSeed(item["encrypted_content"]) ?? "(The summary is encrypted. Only the provider can read it.)"];
			if (item["role"] !== "user") return [];
			return asList(item["content"]).flatMap((block) => asName(asObject(block)?.["text"]) ?? []);
		});
		const summary = kept.length > 0 ? kept.join("\n\n") : (asText(payload["message"]) ?? "");
		this.#before = [];
		this.#turn = undefined;
		return this.#writer.compact({ entry: `compaction ${from}`, summary, ts, from });
	}

	#say(said: WrittenMessage): NewEvent[] {
		return this.#writer.say(this.#isCopy ? { ...said, isCopy: true } : said);
	}
}

/** Nothing is derived a second time from what a fork took over. */
function isOfCopy({ type, payload }: NewEvent): boolean {
	return type === "Message" || asObject(payload)?.["kind"] === "compaction";
}

/** What an item adds to the model's answer; undefined: it is not a part of one. */
function blocksOf(item: JsonObject, notes: CallNotes): MadeBlock[] | undefined {
	const callId = asName(item["call_id"]) ?? asName(item["id"]) ?? "";
	switch (item["type"]) {
		case "message":
			return asList(item["content"]).flatMap(contentBlock);
		case "reasoning": {
			const texts = [...asList(item["summary"]), ...asList(item["content"])];
			const thinking = texts.flatMap((text) => asName(asObject(text)?.["text"]) ?? []).join("\n\n");
			return thinking === "" ? [] : [{ type: "thinking", thinking }];
		}
		case "function_call":
			return [notes.open(callId, asText(item["name"]) ?? "", parsed(item["arguments"]))];
		case "custom_tool_call":
			return [notes.open(callId, asText(item["name"]) ?? "", { input: item["input"] })];
		case "local_shell_call":
			return [notes.open(callId, "local_shell", asObject(item["action"]) ?? {})];
		case "tool_search_call":
			return [notes.open(callId, "tool_search", asObject(item["arguments"]) ?? parsed(item["arguments"]))];
		// The provider ran it; no result will come.
		case "web_search_call":
			return textBlock(`[web search] ${asText(asObject(item["action"])?.["query"]) ?? ""}`.trimEnd());
		default:
			return undefined;
	}
}

function contentBlock(value: unknown): MadeBlock[] {
	const block = asObject(value) ?? {};
	const url = asName(block["image_url"]);
	const image = url === undefined ? undefined : imageOfUrl(url);
	if (image) return [image];
	return textBlock(asText(block["text"]) ?? (url === undefined ? "" : `[image] ${url}`));
}

function outputBlocks(output: unknown): MadeBlock[] {
	if (typeof output === "string") return textBlock(output);
	const list = Array.isArray(output) ? output : asList(asObject(output)?.["content"]);
	if (list.length > 0) return list.flatMap(contentBlock);
	return textBlock(asText(asObject(output)?.["content"]) ?? (output == null ? "" : JSON.stringify(output)));
}

function parsed(text: unknown): JsonObject {
	try {
		return asObject(typeof text === "string" ? JSON.parse(text) : text) ?? { input: text };
	} catch {
		return { input: text };
	}
}

function usageOf(usage: JsonObject | undefined): MadeUsage | undefined {
	if (!usage) return undefined;
	return usageWithCacheInside({
		input: asNumber(usage["input_tokens"]) ?? 0,
		cacheRead: asNumber(usage["cached_input_tokens"]),
		cacheWrite: asNumber(usage["cache_write_input_tokens"]),
		output: asNumber(usage["output_tokens"]) ?? 0,
		reasoning: asNumber(usage["reasoning_output_tokens"]),
	});
}
