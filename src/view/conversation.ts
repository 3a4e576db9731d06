/**
 * A session for reading: prompts, answers, tool calls with their diffs and results, sub-agents, and what left the context where.
 * The outline and each chunk are read by themselves, so the page shows the first screen of any session at once.
 */
import { EngineError } from "../base/error/engine-error.ts";
import { asList, asName, asObject, asText } from "../base/json/read.ts";
import { writeJson } from "../base/json/write.ts";
import { cutStart } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { hostCompaction } from "../context/session-patches.ts";
import type { Engine } from "../engine.ts";
import { type EventRecord, isA } from "../log/event/types.ts";
import { handleOf } from "../log/handle.ts";
import type { SessionRef } from "../log/session-ref.ts";
import { splitByProgram } from "../message/user-words.ts";
import { type CallBlock, type MessageView, shownText, viewMessage } from "../message/view.ts";
import { listSessions } from "../state/session/find-session.ts";
import type { SessionState } from "../state/session/session-state.ts";
import type { ContextStay } from "./context-stay.ts";
import { CHUNK_ITEMS, ConversationIndex, type IndexedMessage, type IndexedRule } from "./conversation-index.ts";
import { callGist } from "./event-gist.ts";
import { MessageStays } from "./message-stays.ts";
import type { RequestRow, SessionRequests } from "./requests.ts";
import { resumeCommand } from "./resume-command.ts";

export interface ConversationOutline extends SessionRef {
	readonly title: string | null;
	readonly items: number;
	readonly chunkItems: number;
	readonly messages: number;
	readonly prompts: readonly { readonly place: number; readonly handle: string; readonly text: string }[];
	readonly rules: readonly { readonly place: number; readonly kind: IndexedRule["kind"] }[];
	/** The command that resumes the session in its agent; null: the agent has none. */
	readonly resume: string | null;
}

export interface ConversationChunk {
	readonly chunk: number;
	readonly items: readonly ConversationItem[];
}

export type ConversationItem = ConversationMessage | ConversationRule;

export interface ConversationMessage {
	readonly kind: "message";
	readonly place: number;
	readonly handle: string;
	readonly ts: number;
	readonly who: "user" | "assistant" | "program" | "other";
	readonly role: string;
	readonly isPrompt: boolean;
	readonly isAbandoned: boolean;
	/** The request that it answers, at its first line. */
	readonly request: Pick<
		RequestRow,
		"n" | "tokens" | "dollars" | "isEstimated" | "isAssumed" | "model" | "miss"
	> | null;
	readonly stay: ContextStay;
	readonly blocks: readonly ConversationBlock[];
}

export interface ConversationRule {
	readonly kind: IndexedRule["kind"];
	readonly place: number;
	readonly handle: string;
	readonly ts: number;
	/** Of a seal. */
	readonly why: string | null;
	readonly tokensBefore: number | null;
	readonly tokensAfter: number | null;
	/** Messages that left; null: not known. */
	readonly left: number | null;
	/** The text that replaced them. */
	readonly text: CutText | null;
}

/** The beginning of a text, and its whole length. */
export interface CutText {
	readonly text: string;
	readonly total: number;
}

export type ConversationBlock =
	| ({ readonly kind: "text" | "thinking" } & CutText)
	| { readonly kind: "image"; readonly handle: string; readonly n: number }
	| ({ readonly kind: "other"; readonly name: string } & CutText)
	| ConversationCall;

export interface ConversationCall {
	readonly kind: "call";
	readonly tool: string;
	/** What it is about, in one line. */
	readonly about: string;
	readonly input: CutText;
	readonly diffs: readonly ConversationDiff[];
	/** null: no result is recorded. */
	readonly result: (CutText & { readonly handle: string; readonly isError: boolean }) | null;
	readonly images: readonly { readonly handle: string; readonly n: number }[];
	/** The sub-agent that worked for it. */
	readonly child: { readonly session: string; readonly task: string; readonly messages: number } | null;
}

export interface ConversationDiff extends CutText {
	readonly path: string;
	readonly kind: "edit" | "write" | "delete";
	readonly added: number;
	readonly removed: number | null;
}

const MAX_TEXT_CHARS = 24_000;
const MAX_FOLDED_CHARS = 4_000;
const MAX_DIFF_CHARS = 16_000;
const MAX_PROMPT_CHARS = 160;

/** One session's conversation. Reading again costs only what is new. */
export class SessionConversation {
	readonly #engine: Engine;
	readonly #session: SessionRef;
	readonly #requests: SessionRequests;
	readonly #index: ConversationIndex;
	readonly #stays: MessageStays;

	constructor(engine: Engine, session: SessionRef, requests: SessionRequests) {
		this.#engine = engine;
		this.#session = session;
		this.#requests = requests;
		this.#index = new ConversationIndex(engine, session);
		this.#stays = new MessageStays(engine, session, requests);
	}

	outline(state: SessionState): ConversationOutline {
		const items = this.#index.items();
		const rules = items.flatMap((item, place) => (item.kind === "message" ? [] : [{ place, kind: item.kind }]));
		const prompts = items.flatMap((item, place) => {
			if (item.kind !== "message" || !item.isPrompt) return [];
			const text = item.typed ?? (this.#index.intentOf(item.entry.seq) || this.#beginning(item.entry.seq));
			return [{ place, handle: this.#index.handleOf(item.entry), text: cutStart(oneLine(text), MAX_PROMPT_CHARS) }];
		});
		return {
			...this.#session,
			title: state.title,
			items: items.length,
			chunkItems: CHUNK_ITEMS,
			messages: state.messages,
			prompts,
			rules,
			resume: resumeCommand(this.#engine.log, this.#session),
		};
	}

	chunk(chunk: number): ConversationChunk {
		const from = chunk * CHUNK_ITEMS;
		const items = this.#index.items().slice(from, from + CHUNK_ITEMS);
		if (items.length === 0 && chunk > 0)
			throw new EngineError("not-found", `The conversation has no part ${chunk}: it ends before.`);
		const answered = new Map(this.#requests.rows().flatMap((row) => (row.answer ? [[row.answer.seq, row]] : [])));
		const beside = this.#eventsBeside(items.filter((item) => item.kind === "message"));
		return {
			chunk,
			items: items.map((item, at) =>
				item.kind === "message"
					? this.#message(item, from + at, { beside, row: answered.get(item.entry.seq) })
					: this.#rule(item, from + at),
			),
		};
	}

	/** By the handle or the seq of a message, or of anything that a message caused: the item that shows it. */
	place(handle: string): { readonly place: number } {
		const [, digits] = /^#?(\d{1,15})$/.exec(handle) ?? [];
		const seq = digits === undefined ? this.#engine.log.findHandle(handle) : Number(digits);
		const cause = seq === undefined ? undefined : this.#engine.log.get(seq)?.cause;
		const place = this.#index.placeOf(seq ?? 0) ?? this.#index.placeOf(cause ?? 0);
		if (place !== undefined) return { place };
		throw new EngineError("not-found", `${handle} is not in this conversation.`);
	}

	#beginning(seq: number): string {
		const record = this.#engine.log.get(seq);
		return record ? oneLine(cutStart(shownText(viewMessage(record.payload)), 4 * MAX_PROMPT_CHARS)) : "";
	}

	#message(item: IndexedMessage, place: number, { beside, row }: MessageSurroundings): ConversationMessage {
		const record = this.#engine.log.get(item.entry.seq);
		const handle = this.#index.handleOf(item.entry);
		if (item.typed !== undefined) return this.#typed(item, item.typed, place, record?.ts ?? 0);
		const view = record && viewMessage(record.payload);
		const results = new Map(item.results.flatMap((seq) => this.#resultsAt(seq)));
		return {
			kind: "message",
			place,
			handle,
			ts: record?.ts ?? 0,
			who: view ? speakerOf(view) : "other",
			role: item.entry.role ?? "",
			isPrompt: item.isPrompt,
			isAbandoned: item.isAbandoned,
			request: row
				? {
						n: row.n,
						tokens: row.tokens,
						dollars: row.dollars,
						isEstimated: row.isEstimated,
						isAssumed: row.isAssumed,
						model: row.model,
						miss: row.miss,
					}
				: null,
			stay: this.#stays.of(item.entry, handle, { isAbandoned: item.isAbandoned }),
			blocks: view ? this.#blocks(view, handle, { results, beside, hasResults: item.entry.results.length > 0 }) : [],
		};
	}

	/** Words that were typed while the agent worked have no message of their own. */
	#typed({ entry }: IndexedMessage, words: string, place: number, ts: number): ConversationMessage {
		return {
			kind: "message",
			place,
			handle: this.#index.handleOf(entry),
			ts,
			who: "user",
			role: "user, while the agent worked",
			isPrompt: true,
			isAbandoned: false,
			request: null,
			stay: this.#stays.ofWords(entry),
			blocks: [{ kind: "text", ...cut(words, MAX_TEXT_CHARS) }],
		};
	}

	#blocks(
		view: MessageView,
		handle: string,
		{ results, beside, hasResults }: BlockSurroundings,
	): readonly ConversationBlock[] {
		const blocks: ConversationBlock[] = [];
		let images = 0;
		for (const block of view.blocks) {
			if (block.kind === "text") blocks.push(...this.#words(block.text, speakerOf(view)));
			else if (block.kind === "thinking") {
				if (block.text.trim() !== "") blocks.push({ kind: "thinking", ...cut(block.text, MAX_FOLDED_CHARS) });
			} else if (block.kind === "image") blocks.push({ kind: "image", handle, n: images++ });
			else if (block.kind === "call") blocks.push(this.#call(block, results.get(block.id), beside));
			// Its call shows it.
			else if (block.kind === "result" && hasResults && beside.isCalled(block.callId)) continue;
			else if (block.kind === "result")
				blocks.push({ kind: "other", name: block.tool ?? "result", ...cut(block.shown, MAX_FOLDED_CHARS) });
			else blocks.push({ kind: "other", name: block.name, ...cut(block.text, MAX_FOLDED_CHARS) });
		}
		if (view.command) {
			const { command, output } = view.command;
			blocks.push({ kind: "other", name: `$ ${oneLine(command)}`, ...cut(output, MAX_FOLDED_CHARS) });
		} else if (blocks.length === 0 && view.shown)
			blocks.push({ kind: "other", name: view.role, ...cut(view.shown, MAX_FOLDED_CHARS) });
		return blocks;
	}

	/** A reminder in the user's name is the program's. */
	#words(text: string, who: ConversationMessage["who"]): ConversationBlock[] {
		const parts = who === "user" ? splitByProgram(text, this.#session.host) : text.trim() === "" ? [] : [{ text }];
		return parts.map(({ text, block }) =>
			block === undefined
				? { kind: "text", ...cut(text, MAX_TEXT_CHARS) }
				: { kind: "other", name: block, ...cut(text, MAX_FOLDED_CHARS) },
		);
	}

	#call(block: CallBlock, result: FoundResult | undefined, beside: EventsBeside): ConversationCall {
		const { tool, input, id } = block;
		const child = beside.child(id);
		return {
			kind: "call",
			tool,
			about: callGist({ tool, input }).slice(tool.length).trim(),
			input: cut(inputText(input), MAX_FOLDED_CHARS),
			diffs: beside.diffs(id),
			result: result ? { ...cut(result.text, MAX_FOLDED_CHARS), handle: result.handle, isError: result.isError } : null,
			images: result?.images ?? [],
			child,
		};
	}

	#resultsAt(seq: number): [string, FoundResult][] {
		const record = this.#engine.log.get(seq);
		if (!record) return [];
		const handle = handleOf(record);
		const found: [string, FoundResult][] = [];
		let images = 0;
		for (const block of viewMessage(record.payload).blocks) {
			if (block.kind === "result")
				found.push([block.callId, { text: block.shown, isError: block.isError, handle, images: [] }]);
			// Pictures follow the result that they belong to.
			else if (block.kind === "image") found.at(-1)?.[1].images.push({ handle, n: images++ });
		}
		return found;
	}

	#rule({ kind, seq }: IndexedRule, place: number): ConversationRule {
		const record = this.#engine.log.get(seq);
		const rows = this.#requests.rows();
		const base = { kind, place, handle: record ? handleOf(record) : "", ts: record?.ts ?? 0 };
		if (record && isA(record, "Seal")) {
			const { why, tokensBefore, tokensAfter, left } = record.payload;
			return { ...base, why, tokensBefore, tokensAfter, left, text: this.#seedOf(record.payload.transform) };
		}
		const row = rows.find(({ compaction }) => compaction?.seq === seq);
		const text = record && summaryText(record);
		return {
			...base,
			why: null,
			tokensBefore: row?.compaction?.tokensBefore ?? null,
			tokensAfter: row?.compaction?.tokensAfter ?? null,
			left: row ? this.#stays.leftAt(row) : null,
			text: text ? cut(text, MAX_FOLDED_CHARS) : null,
		};
	}

	#seedOf(transform: string | undefined): CutText | null {
		if (transform === undefined) return null;
		const { log } = this.#engine;
		const seq = log.findHandle(handleOf({ ...this.#session, type: "Transform", entry: transform }));
		const patch = seq === undefined ? [] : asList(log.get(seq)?.payload["patch"]);
		const texts = patch.flatMap((op) => asText(asObject(op)?.["seedText"]) ?? []);
		return texts[0] === undefined ? null : cut(texts[0], MAX_FOLDED_CHARS);
	}

	/** Diffs and sub-agents of the calls of some messages. */
	#eventsBeside(items: readonly IndexedMessage[]): EventsBeside {
		const seqs = items.flatMap(({ entry, results }) => [entry.seq, ...results]);
		const calls = new Set(items.flatMap(({ entry }) => entry.calls));
		const diffs = new Map<string, ConversationDiff[]>();
		const children = new Map<string, NonNullable<ConversationCall["child"]>>();
		if (calls.size > 0) {
			const range = { after: Math.min(...seqs) - 1, upTo: Math.max(...seqs) + MAX_EVENTS_AFTER };
			for (const record of this.#engine.log.read({ ...this.#session, ...range, types: ["FileChanged"] })) {
				const callId = asName(record.payload["callId"]);
				if (callId === undefined || !calls.has(callId) || !isA(record, "FileChanged")) continue;
				const { path, kind, added, removed, diff = "" } = record.payload;
				const shown = { path, kind, added, removed, ...cut(diff, MAX_DIFF_CHARS) };
				diffs.set(callId, [...(diffs.get(callId) ?? []), shown]);
			}
			this.#addChildren(calls, children);
		}
		return {
			diffs: (id) => diffs.get(id) ?? [],
			child: (id) => children.get(id) ?? null,
			isCalled: (id) => this.#index.isCalled(id),
		};
	}

	#addChildren(calls: ReadonlySet<string>, children: Map<string, NonNullable<ConversationCall["child"]>>): void {
		let sizes: ReadonlyMap<string, number> | undefined;
		for (const record of this.#engine.log.read({ ...this.#session, types: ["Subagent"] })) {
			if (!isA(record, "Subagent") || !calls.has(record.payload.callId ?? "")) continue;
			sizes ??= new Map(listSessions(this.#engine.log).map(({ session, messages }) => [session, messages]));
			const { child, task = "", callId = "" } = record.payload;
			children.set(callId, { session: child, task, messages: sizes.get(child) ?? 0 });
		}
	}
}

/** Events of a result follow its message closely. */
const MAX_EVENTS_AFTER = 200;

interface EventsBeside {
	diffs(callId: string): readonly ConversationDiff[];
	child(callId: string): ConversationCall["child"];
	isCalled(callId: string): boolean;
}

interface MessageSurroundings {
	readonly beside: EventsBeside;
	readonly row: RequestRow | undefined;
}

interface BlockSurroundings {
	readonly results: ReadonlyMap<string, FoundResult>;
	readonly beside: EventsBeside;
	readonly hasResults: boolean;
}

interface FoundResult {
	readonly text: string;
	readonly isError: boolean;
	readonly handle: string;
	readonly images: { readonly handle: string; readonly n: number }[];
}

function speakerOf({ speaker, injected, role }: MessageView): ConversationMessage["who"] {
	if (injected || role === "custom") return "program";
	return speaker === "user" || speaker === "assistant" ? speaker : "other";
}

function summaryText(record: EventRecord): string {
	if (record.type === "Message") return shownText(viewMessage(record.payload));
	const op = hostCompaction(record);
	return op.op === "compaction_apply" ? op.summary : "";
}

function inputText(input: unknown): string {
	const fields = asObject(input);
	if (!fields) return asText(input) ?? writeJson(input, 2);
	return Object.entries(fields)
		.map(([name, value]) => `${name}: ${typeof value === "string" ? value : writeJson(value, 2)}`)
		.join("\n");
}

function cut(text: string, max: number): CutText {
	return { text: cutStart(text, max), total: text.length };
}

/** A picture of a message, as base64. */
export interface MessageImage {
	readonly mimeType: string;
	readonly base64: string;
}

const SHOWN_IMAGES = /^image\/(?:png|jpeg|gif|webp)$/;

/** `n`: its number in the message, from 0. */
export function readImage(engine: Engine, handle: string, n: number): MessageImage {
	const seq = engine.log.findHandle(handle);
	const found = seq === undefined ? [] : imagesIn(engine.log.get(seq)?.payload["raw"]);
	const image = found[n];
	if (!image || !SHOWN_IMAGES.test(image.mimeType) || !/^[A-Za-z0-9+/=\s]*$/.test(image.base64))
		throw new EngineError("not-found", "The message has no such picture that a page can show.");
	return image;
}

function imagesIn(value: unknown, level = 0): MessageImage[] {
	if (level > MAX_IMAGE_LEVEL) return [];
	if (Array.isArray(value)) return value.flatMap((each) => imagesIn(each, level + 1));
	const block = asObject(value);
	if (!block) return [];
	const type = asText(block["type"]) ?? "";
	if (/^(?:image|image_url|input_image)$/.test(type)) return [imageOf(block)];
	// The message, then its content, then the content of a result; notes of the agent beside them repeat pictures.
	return ["message", "content"].flatMap((name) => imagesIn(block[name], level + 1));
}

const MAX_IMAGE_LEVEL = 8;
const DATA_ADDRESS = /^data:([\w/+.-]+);base64,/;

function imageOf(block: Readonly<Record<string, unknown>>): MessageImage {
	const source = asObject(block["source"]);
	const address = asText(asObject(block["image_url"])?.["url"]) ?? asText(block["image_url"]) ?? "";
	const [, typeInAddress] = DATA_ADDRESS.exec(address) ?? [];
	return {
		mimeType: asText(block["mimeType"]) ?? asText(source?.["media_type"]) ?? typeInAddress ?? "",
		base64: asText(block["data"]) ?? asText(source?.["data"]) ?? address.replace(DATA_ADDRESS, ""),
	};
}
