/**
 * Lines of a Codex rollout as events; `docs/formats/codex.md` describes them. The response items are the history as it was
 * sent; the events between them have exit codes, diffs and the files that a command read. One call of the model is one
 * message: its items, up to the record of its usage.
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
import { answerBlocks, contentBlocks, isOutput, outputBlocks } from "../../message/dialect/openai-responses/answer.ts";
import { type PiBlock, textBlock } from "../../message/dialect/pi/message.ts";
import { separateCache, type Usage } from "../../message/usage.ts";
import { userWords } from "../../message/user-words.ts";
import { unpackSeed } from "../live/codex-compaction-item.ts";
import { recordName, type SaidMessage, SessionWriter } from "../recorded/session-writer.ts";
import { CallNotes } from "./call-notes.ts";
import { isUsersOwn } from "./own-words.ts";
import { ParentLines } from "./parent-lines.ts";

export const CODEX = "codex";

/** A thread's name: `<first thread>/<thread>` for a sub-agent. */
export function codexSession(meta: JsonObject): string | undefined {
	const [thread, root] = [asName(meta["id"]), asName(meta["session_id"])];
	const first = root ?? parentOf(meta);
	const isChild = parentOf(meta) !== undefined && first !== undefined && first !== thread;
	return thread !== undefined && isChild ? `${first}/${thread}` : (thread ?? root);
}

/** The thread that a sub-agent works for. Before about 0.160 only its source has it. */
function parentOf(meta: JsonObject): string | undefined {
	const spawned = asObject(asObject(asObject(meta["source"])?.["subagent"])?.["thread_spawn"]);
	return asName(meta["parent_thread_id"]) ?? asName(spawned?.["parent_thread_id"]);
}

interface OpenAnswer {
	readonly entry: string;
	readonly blocks: PiBlock[];
	/** Names of its items. */
	readonly items: Set<string>;
	readonly ts: number;
	readonly from: string;
}

export class CodexTranslator {
	readonly #writer: SessionWriter;
	readonly #notes: CallNotes;
	readonly #parentLines = new ParentLines();
	/** The lines are copies of a parent's, which has said and paid for them. */
	#isCopy = false;
	#isSubagent = false;
	/** The parent is a sub-agent too: what is copied from it was said by agents. */
	#isOfSubagent = false;
	#items = 0;
	#model: string | undefined;
	#provider = "openai";
	/** The answer that is being read, and the results that came before its usage. */
	#answer: OpenAnswer | undefined;
	#results: SaidMessage[] = [];
	/** The file has records for usage: the older counters only repeat them. */
	#hasRecords = false;
	/** The last answer with its usage. */
	#response: string | undefined;
	#total = "";
	/** The entry before each of the user's messages since the last compaction: a rollback goes there. */
	#before: (string | undefined)[] = [];
	/** The entry before the turn that has begun, until the user speaks in it. */
	#turn: { readonly tip: string | undefined } | undefined;

	/** Set: the file has no usage, so nothing ends an answer. Its items become messages at once, under this name. */
	#bare: { answer: string | undefined } | undefined;

	constructor(session: string, { hasUsage = true }: { readonly hasUsage?: boolean } = {}) {
		this.#writer = new SessionWriter(CODEX, session);
		this.#notes = new CallNotes(session.replace(/\/.*/, ""));
		this.#bare = hasUsage ? undefined : { answer: undefined };
	}

	/** A line of the parent; undefined: the fork has no more of its lines. */
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
		// No usage follows here to end the parent's last answer.
		const last = this.#isCopy && !isCopy ? this.#flush().filter(isOfCopy) : [];
		this.#isCopy = isCopy;
		const made = this.#read(line, kept.entry);
		return [...start, kept, ...last, ...(isCopy ? made.filter(isOfCopy) : made)];
	}

	#start(meta: JsonObject, ts: number): NewEvent[] {
		const parent = parentOf(meta);
		this.#isSubagent = parent !== undefined;
		this.#provider = asName(meta["model_provider"]) ?? this.#provider;
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
				if (this.#isCopy) this.#isOfSubagent = parentOf(payload) !== undefined;
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
		const isAnswer = !isOutput(item) && (type !== "message" || item["role"] === "assistant");
		if (this.#bare && !isAnswer) this.#bare.answer = undefined;
		if (!isAnswer && type === "message") return [...this.#flush(), ...this.#spoken(item, name, ts, from)];
		if (!isAnswer) return this.#result(item, name, ts, from);
		// The file may repeat a line.
		if (this.#answer?.items.has(name)) return [];
		const blocks = blocksOf(item, this.#notes);
		if (blocks === undefined) return [];
		if (this.#bare) {
			this.#bare.answer ??= name;
			const part = { entry: name, message: this.#answered(blocks), ts, from, answer: this.#bare.answer };
			return blocks.length === 0 ? [] : this.#say(part);
		}
		// After results comes the next call of the model.
		const before = this.#results.length > 0 ? this.#flush() : [];
		this.#answer ??= { entry: name, blocks: [], items: new Set(), ts, from };
		this.#answer.items.add(name);
		this.#answer.blocks.push(...blocks);
		return before;
	}

	#spoken(item: JsonObject, entry: string, ts: number, from: string): NewEvent[] {
		const content = contentBlocks(item["content"]);
		const isUsers = item["role"] === "user" && isUsersOwn(item);
		// A sub-agent that got its parent's history has the user's words in it.
		const isOwn = isUsers && (!this.#isSubagent || (this.#isCopy && !this.#isOfSubagent));
		if (isUsers && !this.#writer.has(entry)) {
			this.#before.push((this.#turn ?? this.#writer).tip);
			this.#turn = undefined;
		}
		return this.#say({
			entry,
			message: { role: "user", content, attribution: isOwn ? undefined : "agent" },
			ts,
			from,
			ownWords: (text) => userWords(text, CODEX),
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
		const said: SaidMessage = { entry, message, ts, from };
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

	/** The user took the newest turns back: later messages do not follow them. */
	#rollBack(turns: number): NewEvent[] {
		const last = this.#flush();
		const taken = turns > 0 ? this.#before.splice(-turns) : [];
		if (taken.length > 0) this.#writer.goBackTo(taken[0]);
		return last;
	}

	/** Usage of the answer before it. A compaction by the provider leaves no items, only its usage. */
	#usage(record: JsonObject, ts: number, from: string): NewEvent[] {
		this.#hasRecords = true;
		const response = asName(record["response_id"]);
		// The file may repeat a line.
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

	/** The counters repeat themselves: only a changed total means a call. The call for a summary leaves no items. */
	#count(info: JsonObject | undefined, ts: number, from: string): NewEvent[] {
		const total = JSON.stringify(info?.["total_token_usage"] ?? "");
		if (!info || total === this.#total) return [];
		this.#total = total;
		const usage = usageOf(asObject(info["last_token_usage"]));
		if (!usage || usage.input + usage.cacheRead + usage.output === 0) return [];
		if (!this.#isCopy) this.#answer ??= { entry: `usage ${from}`, blocks: [], items: new Set(), ts, from };
		return this.#flush(usage);
	}

	#flush(usage?: Usage, response?: string): NewEvent[] {
		const [answer, results] = [this.#answer, this.#results];
		this.#answer = undefined;
		this.#results = [];
		if (!answer) return [];
		const { entry, ts, from, blocks } = answer;
		const message = this.#answered(blocks, usage);
		return [{ entry, message, ts, from, answer: response }, ...results].flatMap((said) => this.#say(said));
	}

	#answered(content: readonly PiBlock[], usage?: Usage): SaidMessage["message"] {
		return {
			role: "assistant",
			content,
			api: "openai-responses",
			provider: this.#provider,
			model: this.#model ?? "unknown",
			// The parent has paid for copied answers.
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

	#say(said: SaidMessage): NewEvent[] {
		return this.#writer.say(this.#isCopy ? { ...said, isCopy: true } : said);
	}
}

/** Nothing is derived a second time from copied lines. */
function isOfCopy({ type, payload }: NewEvent): boolean {
	return type === "Message" || asObject(payload)?.["kind"] === "compaction";
}

/** The blocks that an item adds to the model's answer; undefined: it is no part of one. */
function blocksOf(item: JsonObject, notes: CallNotes): PiBlock[] | undefined {
	// The provider ran it; no result will come.
	if (item["type"] === "web_search_call")
		return textBlock(`[web search] ${asText(asObject(item["action"])?.["query"]) ?? ""}`.trimEnd());
	const blocks = answerBlocks(item);
	for (const block of blocks ?? [])
		if (block.type === "toolCall") notes.open(block.id, block.name, asObject(block.arguments) ?? {});
	return blocks;
}

function usageOf(usage: JsonObject | undefined): Usage | undefined {
	if (!usage) return undefined;
	return separateCache({
		input: asNumber(usage["input_tokens"]) ?? 0,
		cacheRead: asNumber(usage["cached_input_tokens"]),
		cacheWrite: asNumber(usage["cache_write_input_tokens"]),
		output: asNumber(usage["output_tokens"]) ?? 0,
		reasoning: asNumber(usage["reasoning_output_tokens"]),
	});
}
