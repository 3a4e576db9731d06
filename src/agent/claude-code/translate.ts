/**
 * Lines of a Claude Code session as events; `docs/formats/claude-code.md` describes them. A side chain, in the parent's file
 * or in its own, is a session of its own, `<session>/<agent>`, and its parent gets a Subagent event. One translator per file,
 * fed in the order of the file.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { asName, asObject, asTime, type JsonObject } from "../../base/json/read.ts";
import type { NewEvent } from "../../log/event/types.ts";
import { writeAnthropicUsage } from "../../message/dialect/anthropic/answer.ts";
import { addUsage, NO_USAGE, totalTokens, type Usage } from "../../message/usage.ts";
import { userWords } from "../../message/user-words.ts";
import { type MessageView, messageText, type UserCommand, viewMessage } from "../../message/view.ts";
import { Calls } from "../../state/session/calls.ts";
import { foldIntent } from "../../state/session/intent.ts";
import { translateMessage } from "../../state/work/translate-message.ts";
import { SEED_USAGE } from "../live/seed-offer-event.ts";
import { EntryNames } from "../recorded/entry-names.ts";
import { manifestOf, type Size, sizeOf } from "./manifest.ts";
import { type ApiRequest, ApiRequests } from "./requests.ts";
import { SideChains } from "./side-chain.ts";
import type { SideFiles } from "./side-files.ts";
import { leftOver, totalsOf, UsageSums } from "./usage-sums.ts";

export const CLAUDE_CODE_HOST = "claude-code";

export interface ClaudeCodeTranslatorOptions {
	/** The session of lines that do not name one; as a rule, the file's name. */
	readonly session: string;
	/** The agent whose file it is, for `agent-<id>.jsonl`. */
	readonly agent?: string | undefined;
	/** The files of the same session, if it is on a disk. */
	readonly sides?: SideFiles | undefined;
	/** Stores the whole of a cut output; returns its SHA-256. */
	readonly putBlob?: ((bytes: Buffer) => string) | undefined;
}

/** The state of one session in the file: the main one, or a side chain. */
interface FileThread {
	readonly session: string;
	readonly names: EntryNames;
	readonly calls: Calls;
	cwd: string | undefined;
	started: boolean;
	lastTime: number;
	/** A command that the user typed with `!`; the next message has its output. */
	typed: string | undefined;
	/** Requests that were sent, if the file has them. */
	readonly requests: ApiRequests<Size>;
	request: ApiRequest<Size> | undefined;
	/** Since the last request. */
	isCompacted: boolean;
}

export class ClaudeCodeTranslator {
	readonly #options: ClaudeCodeTranslatorOptions;
	readonly #threads = new Map<string, FileThread>();
	readonly #sideChains = new SideChains();
	readonly #usage = new UsageSums();
	/** Usage of calls without a line, and the number of compactions that may have made them. */
	readonly #unrecorded = new Map<string, Usage>();
	#compactions = 0;
	#hasMessages = false;
	/** A fork begins with the last compaction of its parent, and counts the parent's calls in its first totals. */
	#inheritsTotals = false;
	#session: string | undefined;

	constructor(options: ClaudeCodeTranslatorOptions) {
		this.#options = options;
	}

	translate(value: unknown, rawText: string): NewEvent[] {
		const line = asObject(value);
		if (!line) return [];
		const main = asName(line["sessionId"]) ?? this.#session ?? this.#options.session;
		this.#session = main;
		const chain = this.#sideChains.of(line, this.#options.agent);
		const thread = this.#thread(chain === undefined ? main : `${main}/${chain}`);
		// A line without an id is named by its content, which is the same anywhere in a longer copy of the file.
		const id = asName(line["uuid"]) ?? `sha256:${sha256(rawText).slice(0, 16)}`;
		const entry = thread.names.name(id, rawText);
		if (entry === undefined) return [];
		thread.lastTime = timeOf(line) ?? thread.lastTime;
		return [...this.#start(thread, line, main, chain), ...this.#events(thread, line, rawText, entry, main)];
	}

	#events(thread: FileThread, line: JsonObject, raw: string, entry: string, main: string): NewEvent[] {
		const base = baseOf(thread);
		const parent = asName(line["parentUuid"]) ?? asName(line["logicalParentUuid"]);
		const kind = asName(line["type"]) ?? "unknown";
		if (line["subtype"] === "compact_boundary") {
			this.#compactions++;
			thread.isCompacted = true;
			if (!this.#hasMessages) this.#inheritsTotals = true;
		}
		const sent = thread.requests.take(line);
		if ((kind !== "user" && kind !== "assistant") || !asObject(line["message"])) {
			const kept = { ...base, type: "Entry", entry, payload: { kind, parent }, raw } as const;
			if (sent) return [kept, requestEvent(thread, sent)];
			return kind === "cost-state" ? [kept, ...this.#unrecordedCalls(line, base, entry)] : [kept];
		}
		this.#hasMessages = true;
		this.#usage.add(line);
		const view = this.#view(line, thread, main);
		// Before the results are derived: a call's long prompt is forgotten with its result.
		const agents = this.#agentsCalled(view, thread, entry, main);
		const message = translateMessage({
			session: base,
			ts: base.ts,
			entry,
			parent,
			form: "anthropic",
			view,
			cwd: thread.cwd,
			calls: thread.calls,
			ownWords: (text) => userWords(text, CLAUDE_CODE_HOST),
			blobOf: (callId) => this.#blobOf(view, callId),
			raw,
		});
		return [...message, ...agents];
	}

	/** The blob of the whole output, if the line has only its beginning. */
	#blobOf(view: MessageView, callId: string): string | undefined {
		const { sides, putBlob } = this.#options;
		const result = view.blocks.find((block) => block.kind === "result" && block.callId === callId);
		const path = result?.kind === "result" ? asName(asObject(result.details)?.["persistedOutputPath"]) : undefined;
		const bytes = path === undefined || !putBlob ? undefined : sides?.wholeOutput(path);
		return bytes && putBlob?.(bytes);
	}

	/**
	 * The summary of a compaction has no line: its usage is the program's total beyond all answers. It is recorded as an empty
	 * answer.
	 */
	#unrecordedCalls(line: JsonObject, base: ReturnType<typeof baseOf>, from: string): NewEvent[] {
		const { sides } = this.#options;
		if (this.#compactions === 0 || !sides) return [];
		const ours = this.#compactions * totalTokens(SEED_USAGE);
		const left = leftOver(totalsOf(line), [this.#usage.byModel(), sides.agentUsage(), this.#unrecorded]).filter(
			({ usage }) => totalTokens(usage) > ours,
		);
		for (const { model, usage } of left) {
			this.#unrecorded.set(model, addUsage(this.#unrecorded.get(model) ?? NO_USAGE, usage));
		}
		if (this.#inheritsTotals) {
			this.#inheritsTotals = false;
			return [];
		}
		return left.map(({ model, usage }) => {
			const id = `unrecorded ${from} ${model}`;
			const message = { id, role: "assistant", model, content: [], usage: writeAnthropicUsage(usage) };
			const raw = JSON.stringify({ type: "assistant", uuid: id, message });
			const payload = { role: "assistant", form: "anthropic", from } as const;
			return { ...base, type: "Message", entry: id, payload, raw };
		});
	}

	#view(line: JsonObject, thread: FileThread, main: string): MessageView {
		const view = viewMessage({ form: "anthropic", raw: line });
		const command = typedCommand(view, thread);
		if (command) return { ...view, command };
		// A prompt that the parent's model wrote is not a request of the user.
		return thread.session === main ? view : { ...view, injected: true };
	}

	/** The first line with a folder opens its session. */
	#start(thread: FileThread, line: JsonObject, main: string, chain: string | undefined): NewEvent[] {
		const cwd = asName(line["cwd"]);
		if (thread.started || (cwd === undefined && !asObject(line["message"]))) return [];
		thread.started = true;
		thread.cwd = cwd;
		const events: NewEvent[] = [
			{
				...baseOf(thread),
				type: "SessionStarted",
				entry: "session",
				payload: {
					cwd: cwd ?? "",
					format: asName(line["version"]),
					parentSession: chain === undefined ? undefined : main,
				},
			},
		];
		if (chain !== undefined) events.push(this.#subagent(thread, line, main, chain));
		return events;
	}

	/** For the parent, when a side chain begins. The call that started it is the one with the same prompt. */
	#subagent(thread: FileThread, line: JsonObject, main: string, chain: string): NewEvent {
		const prompt = messageText(viewMessage({ form: "anthropic", raw: line }));
		const call = this.#sideChains.claim(prompt);
		const callId = call?.id ?? (this.#options.agent === undefined ? undefined : this.#options.sides?.callOfAgent());
		return {
			...baseOf(thread),
			session: main,
			type: "Subagent",
			entry: `agent:${chain}`,
			payload: {
				child: thread.session,
				task: prompt === "" ? undefined : foldIntent(prompt),
				callId,
			},
			cause: call && { message: call.entry },
		};
	}

	/** Calls that start an agent, and results that name the agent that worked. */
	#agentsCalled(view: MessageView, thread: FileThread, entry: string, main: string): NewEvent[] {
		const events: NewEvent[] = [];
		for (const block of view.blocks) {
			if (block.kind === "call") {
				const prompt = asName(asObject(block.input)?.["prompt"]);
				if (prompt !== undefined) this.#sideChains.expect(prompt, { id: block.id, entry });
			}
			const agent = block.kind === "result" ? asName(asObject(block.details)?.["agentId"]) : undefined;
			if (block.kind !== "result" || agent === undefined) continue;
			const task = asName(thread.calls.get(block.callId)?.input["prompt"]);
			events.push({
				...baseOf(thread),
				session: main,
				type: "Subagent",
				entry: `agent:${agent}`,
				payload: {
					child: `${main}/${agent}`,
					task: task === undefined ? undefined : foldIntent(task),
					callId: block.callId,
				},
				cause: thread.session === main ? { message: entry } : undefined,
			});
		}
		return events;
	}

	#thread(session: string): FileThread {
		let thread = this.#threads.get(session);
		if (!thread) {
			thread = {
				session,
				names: new EntryNames(),
				calls: new Calls(),
				cwd: undefined,
				started: false,
				lastTime: 0,
				typed: undefined,
				requests: new ApiRequests(sizeOf),
				request: undefined,
				isCompacted: false,
			};
			this.#threads.set(session, thread);
		}
		return thread;
	}
}

function baseOf(thread: FileThread) {
	return { session: thread.session, host: CLAUDE_CODE_HOST, ts: thread.lastTime };
}

function requestEvent(thread: FileThread, sent: ApiRequest<Size>): NewEvent {
	const reason = thread.isCompacted ? "the host compacted" : "the host changed what it had sent";
	const payload = manifestOf(sent, thread.request, reason);
	thread.request = sent;
	thread.isCompacted = false;
	return { ...baseOf(thread), type: "Request", entry: `request ${sent.id}`, payload };
}

/** `!command` of the user: one message holds the command, the next its output; the exit status is nowhere. */
function typedCommand(view: MessageView, thread: FileThread): UserCommand | undefined {
	if (view.role !== "user") return undefined;
	const text = messageText(view);
	const typed = /^<bash-input>([\s\S]*)<\/bash-input>\s*$/.exec(text)?.[1];
	if (typed !== undefined) {
		thread.typed = typed;
		return undefined;
	}
	const command = thread.typed;
	if (command === undefined || !/^<bash-std(?:out|err)>/.test(text)) return undefined;
	thread.typed = undefined;
	return { command, output: text.replaceAll(/<\/?bash-std(?:out|err)>/g, ""), exit: null };
}

function timeOf(line: JsonObject): number | undefined {
	return asTime(line["timestamp"]) ?? asTime(asObject(line["snapshot"])?.["timestamp"]);
}
