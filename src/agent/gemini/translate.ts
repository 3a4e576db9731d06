/**
 * Lines of a Gemini CLI session as events; `docs/formats/gemini.md` describes them. A line is an operation on a list of
 * messages: it adds one, adds to one, or replaces the list. Gemini CLI writes an answer twice, first without its calls: both
 * are parts of one answer.
 */

import { asList, asName, asObject, asText, asTime, type JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { callBlock, isResultOnly, partBlocks, partResults, readGoogleUsage } from "../../message/dialect/google.ts";
import { type PiBlock, textBlock } from "../../message/dialect/pi/message.ts";
import { partNotes } from "../recorded/gemini-tool-notes.ts";
import { fingerprintOf } from "../recorded/message-fingerprint.ts";
import { SessionWriter } from "../recorded/session-writer.ts";

export const GEMINI = "gemini-cli";

export interface GeminiSession {
	readonly session: string;
	readonly parent: string | undefined;
	readonly cwd: string | undefined;
}

interface ListedMessage {
	/** Its name in the log. */
	readonly entry: string;
	fingerprint: number;
	/** The last entry that belongs to it. */
	tip: string;
}

export class GeminiTranslator {
	readonly #writer: SessionWriter;
	readonly #of: GeminiSession;
	/** All messages that were ever in the list, by Gemini's ids. */
	readonly #all = new Map<string, ListedMessage>();
	/** The messages in the list now, oldest first. */
	#list: ListedMessage[] = [];
	/** The newest answer, and the parts of it that are written. */
	#newest: { readonly entry: string; readonly calls: Set<string>; isCounted: boolean } | undefined;
	/** Of the last line that has one. */
	#time = 0;

	constructor(of: GeminiSession) {
		this.#of = of;
		this.#writer = new SessionWriter(GEMINI, of.session);
	}

	translate(line: JsonObject, raw: string): NewEvent[] {
		const ts = timeOf(line) ?? this.#time;
		this.#time = ts;
		const { session: _, parent: parentSession, cwd } = this.#of;
		const start = this.#writer.start({ ts, cwd, parentSession });
		const kept = this.#writer.record(kindOf(line), raw, ts);
		return [...start, kept, ...this.#read(line, ts, kept.entry)];
	}

	#read(line: JsonObject, ts: number, from: string): NewEvent[] {
		const set = asObject(line["$set"]);
		if (set) return Array.isArray(set["messages"]) ? this.#replaceList(set["messages"], ts, from) : [];
		if ("$rewindTo" in line) {
			this.#rewind(asName(line["$rewindTo"]));
			return [];
		}
		return this.#message(line, from);
	}

	#message(message: JsonObject, from: string): NewEvent[] {
		const id = asName(message["id"]);
		if (id === undefined) return [];
		const ts = timeOf(message) ?? this.#time;
		if (message["type"] === "gemini") return this.#answer(message, id, ts, from);
		if (message["type"] !== "user" || isResultOnly(message["content"])) return [];
		if (this.#all.get(id) !== undefined) return [];
		const content = partBlocks(message["content"]);
		const first = content.find((block) => block.type === "text")?.text ?? "";
		const isOwn = this.#of.parent === undefined && !NOTICE.test(first.trimStart());
		this.#add(id, content);
		return this.#writer.say({
			entry: id,
			message: { role: "user", content, attribution: isOwn ? undefined : "agent" },
			ts,
			from,
		});
	}

	/** A later version of the newest answer may add its usage, more calls, and their results. */
	#answer(message: JsonObject, id: string, ts: number, from: string): NewEvent[] {
		const events: NewEvent[] = [];
		const model = { api: "google-generative-ai", provider: "google", model: asName(message["model"]) ?? "unknown" };
		const entry = this.#all.get(id)?.entry ?? id;
		const tokens = asObject(message["tokens"]);
		const usage = tokens && readGoogleUsage(countsOf(tokens));
		const say = (of: string, content: readonly PiBlock[], used: typeof usage) =>
			this.#writer.say({
				entry: of,
				message: { role: "assistant", content, ...model, usage: used },
				ts,
				from,
				answer: entry,
			});
		if (!this.#writer.has(entry)) {
			const content = [...thoughtsOf(message["thoughts"]), ...partBlocks(message["content"])];
			this.#add(id, content);
			this.#newest = { entry, calls: new Set(), isCounted: usage !== undefined };
			events.push(...say(entry, content, usage));
		}
		const newest = this.#newest?.entry === entry ? this.#newest : { entry, calls: new Set<string>(), isCounted: true };
		const calls = asList(message["toolCalls"]).map((call) => asObject(call) ?? {});
		const added = calls.filter((call) => !newest.calls.has(asName(call["id"]) ?? ""));
		const owed = newest.isCounted ? undefined : usage;
		const content = added.map(calledIn);
		if (added.length > 0 || owed) {
			const part = added.length === 0 ? "usage" : newest.calls.size === 0 ? "calls" : `calls ${newest.calls.size}`;
			events.push(...say(`${entry}/${part}`, content, owed));
			newest.isCounted ||= owed !== undefined;
		}
		for (const call of added) newest.calls.add(asName(call["id"]) ?? "");
		for (const call of calls) if (!isRunning(call)) events.push(...this.#result(call, entry, ts, from));
		const listed = this.#all.get(id);
		if (listed === undefined || calls.length === 0) return events;
		listed.fingerprint = fingerprintOf([...partBlocks(message["content"]), ...calls.map(calledIn)]);
		listed.tip = this.#writer.tip ?? entry;
		return events;
	}

	#result(call: JsonObject, answer: string, ts: number, from: string): NewEvent[] {
		const [id, tool] = [asName(call["id"]) ?? "", asText(call["name"]) ?? ""];
		const results = partResults(call["result"]);
		const args = asObject(call["args"]) ?? {};
		const display = call["resultDisplay"];
		const isError = call["status"] !== "success";
		const blocks = results.flatMap((result) => result.blocks);
		const text = results.map((result) => result.text).join("\n") || (isError ? (asText(display) ?? "") : "");
		const hasImage = blocks.some(({ type }) => type === "image");
		const child = asName(call["agentId"]);
		const noted = child
			? { child: { session: `${this.#of.session}/${child}`, task: asName(args["prompt"]) } }
			: partNotes({ tool, args, text, display, isError, hasImage });
		return this.#writer.say({
			entry: `${answer}/${id}`,
			message: {
				role: "toolResult",
				toolCallId: id,
				toolName: tool,
				content: blocks.length > 0 ? blocks : textBlock(text),
				isError,
				details: noted && { noted },
			},
			ts: asTime(call["timestamp"]) ?? ts,
			from,
		});
	}

	/**
	 * The list as the program has it now: after a resume, or after a compaction, where the messages that were kept have new ids and are known
	 * by their content.
	 */
	#replaceList(messages: readonly unknown[], ts: number, from: string): NewEvent[] {
		const list = messages.map((message) => asObject(message) ?? {});
		const at = list.findIndex((message) => /^\s*<state_snapshot>/.test(textOf(message)));
		if (at === -1) return this.#relist(list, from);
		const tail = list.slice(at + 1).filter((message) => !isResultOnly(message["content"]));
		const same = tail.map((message) => this.#find(message));
		const kept = same.find((listed) => listed !== undefined)?.entry;
		const gone = list.slice(0, at + 1).map(textOf);
		const events = this.#writer.compact({ entry: `compaction ${from}`, summary: gone.join("\n\n"), kept, ts, from });
		this.#list = same.flatMap((listed) => listed ?? []);
		for (const [index, message] of tail.entries()) {
			const [id, listed] = [asName(message["id"]), same[index]];
			if (id !== undefined && listed !== undefined) this.#all.set(id, listed);
		}
		return events;
	}

	/** Known messages stay, new ones are added. A list that ends earlier takes the later messages back. */
	#relist(list: readonly JsonObject[], from: string): NewEvent[] {
		const spoken = list.filter((message) => !isResultOnly(message["content"]));
		const events = spoken.flatMap((message) =>
			this.#all.get(asName(message["id"]) ?? "") === undefined ? this.#message(message, from) : [],
		);
		this.#list = spoken.flatMap((message) => this.#all.get(asName(message["id"]) ?? "") ?? []);
		if (events.length === 0 && this.#list.length > 0) this.#writer.goBackTo(this.#tip());
		return events;
	}

	#rewind(id: string | undefined): void {
		const listed = this.#all.get(id ?? "");
		const at = listed ? this.#list.indexOf(listed) : -1;
		this.#list = at === -1 ? [] : this.#list.slice(0, at);
		this.#writer.goBackTo(this.#tip());
	}

	#add(id: string, content: readonly PiBlock[]): void {
		const listed = { entry: id, fingerprint: fingerprintOf(content), tip: id };
		this.#list.push(listed);
		this.#all.set(id, listed);
	}

	#find(message: JsonObject): ListedMessage | undefined {
		const byId = this.#all.get(asName(message["id"]) ?? "");
		if (byId !== undefined) return byId;
		const fingerprint = fingerprintOf(partBlocks(message["content"]));
		return this.#list.findLast((each) => each.fingerprint === fingerprint);
	}

	/** The last entry that belongs to the newest message of the list. */
	#tip(): string | undefined {
		return this.#list.at(-1)?.tip;
	}
}

function calledIn(call: JsonObject): PiBlock {
	return callBlock(asName(call["id"]) ?? "", asText(call["name"]) ?? "", call["args"]);
}

/** A later version of the answer will have its result. */
function isRunning({ status, result }: JsonObject): boolean {
	return (
		/^(?:validating|scheduled|awaiting_approval|executing|running|pending)$/.test(asText(status) ?? "") &&
		asList(result).length === 0
	);
}

/** The program's own words in the user's name. */
const NOTICE = /^(?:<session_context>|<state_snapshot>|System: |<hook_context>)/;

function textOf(message: JsonObject): string {
	return partBlocks(message["content"])
		.flatMap((block) => (block.type === "text" ? [block.text] : []))
		.join("\n");
}

function thoughtsOf(thoughts: unknown): PiBlock[] {
	return asList(thoughts).flatMap((value): PiBlock[] => {
		const thought = asObject(value) ?? {};
		const text = [asName(thought["subject"]), asName(thought["description"])].filter(Boolean).join("\n\n");
		return text === "" ? [] : [{ type: "thinking", thinking: text }];
	});
}

function countsOf(tokens: JsonObject) {
	const { input, output, cached, thoughts, tool, total } = tokens;
	return { input, output, cached, thoughts, tool, total };
}

function kindOf(line: JsonObject): string {
	if ("$set" in line) return "$set";
	if ("$rewindTo" in line) return "$rewindTo";
	return asName(line["type"]) ?? (asName(line["sessionId"]) === undefined ? "unknown" : "session");
}

function timeOf(line: JsonObject): number | undefined {
	const set = asObject(line["$set"]);
	return asTime(line["timestamp"]) ?? asTime(line["startTime"]) ?? asTime(set?.["lastUpdated"]);
}
