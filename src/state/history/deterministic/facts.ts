/**
 * Collects what happened in a stretch of a session from its events: one pass in the order of the log, in bounded memory. Pruned
 * events are derived from their message again.
 */
import { asInteger, asList, asName, asText } from "../../../base/json/read.ts";
import { commandIdentity } from "../../../base/shell/identity.ts";
import { cutStart, cutWithEllipsis } from "../../../base/text/cut.ts";
import type { AnyPayload, EventRecord } from "../../../log/event/types.ts";
import { handleOf } from "../../../log/handle.ts";
import { type MessageView, messageText, viewMessage } from "../../../message/view.ts";
import { Calls } from "../../session/calls.ts";
import { deriveEvents } from "../../session/derived-events.ts";
import { isCutIntent } from "../../session/intent.ts";
import type { Passage } from "../../thread/thread.ts";

export interface FileFacts {
	reads: number;
	changes: number;
	added: number;
	removed: number;
	deleted: boolean;
}

export interface CommandFacts {
	runs: number;
	failures: number;
	/** Exit status of the last run. null: unknown. */
	exit: number | null;
	/** Names of tests that failed in the last run that reported any. */
	failed: readonly string[];
}

/** A long stretch keeps this many of each kind: the first and the newest. */
const MAX_OF_A_KIND = 400;
const MAX_SAID_CHARS = 600;
const MAX_COMMAND_CHARS = 160;

export class Facts {
	/** Handles of the first and the last message. */
	first = "";
	last = "";
	messages = 0;
	firstTs = 0;
	lastTs = 0;
	readonly requests: Passage[] = [];
	/** The model's last words before each new request, and at the end. */
	readonly outcomes: Passage[] = [];
	readonly files = new Map<string, FileFacts>();
	/** Files that somebody else changed. */
	readonly changedByOthers = new Set<string>();
	readonly commands = new Map<string, CommandFacts>();
	readonly decisions: Passage[] = [];
	/** Calls that the guard blocked. */
	readonly refusals = new Map<string, number>();
	/** Error lines, each with the handle of the message that first had it. */
	readonly errors = new Map<string, string>();
	readonly #calls = new Calls();
	#pending: PendingMessage | undefined;
	#outcome: Passage | undefined;
	/** The newest text comes with a call: it announces and does not conclude. */
	#announces = false;

	static of(records: Iterable<EventRecord>): Facts {
		const facts = new Facts();
		for (const record of records) facts.add(record);
		facts.end();
		return facts;
	}

	add(record: EventRecord): void {
		if (record.type === "Message") {
			this.#settle();
			this.#message(record);
			return;
		}
		if (this.#pending && record.cause === this.#pending.record.seq) this.#pending.derived = true;
		this.#event(record.type, record.payload, record);
	}

	/** Call this after the last record. */
	end(): void {
		this.#settle();
		if (this.#outcome) keep(this.outcomes, this.#outcome);
		this.#outcome = undefined;
	}

	#message(record: EventRecord): void {
		const view = viewMessage(record.payload);
		const handle = handleOf(record);
		if (this.messages === 0) {
			this.first = handle;
			this.firstTs = record.ts;
		}
		this.last = handle;
		this.lastTs = record.ts;
		this.messages++;
		const text = messageText(view);
		if (view.role === "assistant" && text !== "") {
			this.#outcome = { handle, text: bounded(text) };
			this.#announces = view.blocks.some(({ kind }) => kind === "call");
		}
		for (const block of view.blocks) {
			if (block.kind !== "result") continue;
			if (block.isError) this.#errors(block.text, handle);
		}
		this.#pending = { record, handle, view, derived: false };
	}

	/** The message is complete: its derived events have come, or were pruned and are derived again. */
	#settle(): void {
		const pending = this.#pending;
		this.#pending = undefined;
		if (!pending || pending.derived) return;
		const acts = pending.view.command || pending.view.blocks.some(({ kind }) => kind === "call" || kind === "result");
		if (!acts && pending.view.role !== "user") return;
		const { seq, entry } = pending.record;
		const derived = deriveEvents(pending.view, { entry: entry ?? String(seq), cwd: undefined, calls: this.#calls });
		this.#pending = { ...pending, derived: true };
		for (const event of derived) this.#event(event.type, event.payload as AnyPayload, pending.record);
		this.#pending = undefined;
	}

	/** `from`: the event itself, or the message that it was derived from. */
	#event(type: string, payload: AnyPayload, from: EventRecord): void {
		const path = asName(payload["path"]);
		switch (type) {
			case "UserIntent":
				if (this.#outcome && !this.#announces) keep(this.outcomes, this.#outcome);
				this.#outcome = undefined;
				keep(this.requests, { handle: this.#handleOf(from), text: requestText(asText(payload["text"]) ?? "") });
				break;
			case "FileRead":
				if (path !== undefined) this.#file(path).reads++;
				break;
			case "FileChanged":
				if (path === undefined) break;
				if (payload["actor"] !== "other") change(this.#file(path), payload);
				else if (this.changedByOthers.size < MAX_OF_A_KIND) this.changedByOthers.add(path);
				break;
			case "CommandRun":
				this.#command(payload, from);
				break;
			case "TestStatus":
				this.#tests(payload, from);
				break;
			case "Decision":
				keep(this.decisions, { handle: handleOf(from), text: reasoned(payload) });
				break;
			case "Verdict":
				if (payload["verdict"] === "block") count(this.refusals, `${asText(payload["rule"])} ${path ?? ""}`.trim());
		}
	}

	#command(payload: AnyPayload, from: EventRecord): void {
		const exit = asInteger(payload["exit"]) ?? null;
		const command = this.#commandFacts(asText(payload["command"]) ?? "");
		if (!command) return;
		command.runs++;
		command.exit = exit;
		if (exit === null || exit === 0 || isLooking(asText(payload["command"]) ?? "")) return;
		command.failures++;
		const pending = this.#pending;
		if (!pending || !isOf(from, pending)) return;
		for (const block of pending.view.blocks) {
			// Results marked as errors have been read already.
			if (block.kind === "result" && !block.isError) this.#errors(block.text, pending.handle);
		}
		if (pending.view.command) this.#errors(pending.view.command.output, pending.handle);
	}

	#tests(payload: AnyPayload, from: EventRecord): void {
		const command = this.#commandFacts(asText(payload["command"]) ?? "");
		if (!command) return;
		command.failed = asList(payload["failed"])
			.filter((name) => typeof name === "string")
			.slice(0, 5);
		const error = asName(payload["firstError"]);
		if (error !== undefined) this.#errors(error, this.#handleOf(from));
	}

	#commandFacts(text: string): CommandFacts | undefined {
		const name = cutWithEllipsis(text.replace(/\s+/g, " ").trim(), MAX_COMMAND_CHARS);
		const known = this.commands.get(name);
		if (known || name === "") return known;
		if (this.commands.size >= MAX_OF_A_KIND) return undefined;
		const fresh: CommandFacts = { runs: 0, failures: 0, exit: null, failed: [] };
		this.commands.set(name, fresh);
		return fresh;
	}

	#file(path: string): FileFacts {
		const known = this.files.get(path);
		if (known) return known;
		const fresh = { reads: 0, changes: 0, added: 0, removed: 0, deleted: false };
		if (this.files.size < MAX_OF_A_KIND * 5) this.files.set(path, fresh);
		return fresh;
	}

	/** The handle of the message that led to an event, or the event's own. */
	#handleOf(event: EventRecord): string {
		return this.#pending && isOf(event, this.#pending) ? this.#pending.handle : handleOf(event);
	}

	#errors(text: string, handle: string): void {
		for (const line of errorLines(text)) {
			if (this.errors.size >= MAX_OF_A_KIND) return;
			if (!this.errors.has(line)) this.errors.set(line, handle);
		}
	}
}

interface PendingMessage {
	readonly record: EventRecord;
	readonly handle: string;
	readonly view: MessageView;
	derived: boolean;
}

function isOf({ seq, cause }: EventRecord, { record }: PendingMessage): boolean {
	return cause === record.seq || seq === record.seq;
}

/** True: the command only looks. A search that finds nothing is an answer and not a failure. */
function isLooking(command: string): boolean {
	const { kind } = commandIdentity(command);
	return kind === "looking" || kind === "scenery";
}

function change(file: FileFacts, payload: AnyPayload): void {
	file.changes++;
	file.added += asInteger(payload["added"]) ?? 0;
	file.removed += asInteger(payload["removed"]) ?? 0;
	file.deleted = payload["kind"] === "delete";
}

function reasoned(payload: AnyPayload): string {
	const rationale = asName(payload["rationale"]);
	return `${asText(payload["text"]) ?? ""}${rationale === undefined ? "" : ` (because ${rationale})`}`;
}

/** Drops from the middle: the beginning and the end matter most. */
function keep(list: Passage[], said: Passage): void {
	list.push(said);
	if (list.length > MAX_OF_A_KIND) list.splice(MAX_OF_A_KIND / 2, 1);
}

function count(map: Map<string, number>, key: string): void {
	if (map.size < MAX_OF_A_KIND || map.has(key)) map.set(key, (map.get(key) ?? 0) + 1);
}

function requestText(text: string): string {
	return isCutIntent(text) ? `${text}…` : text;
}

function bounded(text: string): string {
	return cutWithEllipsis(
		text
			.slice(0, MAX_SAID_CHARS * 4)
			.replace(/\s+/g, " ")
			.trim(),
		MAX_SAID_CHARS,
	);
}

const MAX_ERROR_LINES = 4;
const MAX_ERROR_CHARS = 200;
/** Errors are at the beginning or the end of an output. */
const MAX_SCANNED_CHARS = 8_000;
const TELLS =
	/error|exception|panic|fatal|fail|traceback|cannot|could not|undefined|denied|not found|assert|expected|refused|timed? ?out|no such/i;
const NOISE = /^\s*(?:at |\d+\s*\||[|^~\-=*.\s]+$|Command exited with code)|\b0 (?:errors?|fail)|✓|passed/i;

/** A few lines of an output that say what went wrong. */
function errorLines(text: string): string[] {
	const scanned =
		text.length > MAX_SCANNED_CHARS * 2
			? `${text.slice(0, MAX_SCANNED_CHARS)}\n${text.slice(-MAX_SCANNED_CHARS)}`
			: text;
	const lines: string[] = [];
	for (const line of scanned.split("\n")) {
		if (line.length > MAX_ERROR_CHARS * 10 || !TELLS.test(line) || NOISE.test(line)) continue;
		const short = cutStart(line.replace(/\s+/g, " ").trim(), MAX_ERROR_CHARS).toWellFormed();
		if (!lines.includes(short)) lines.push(short);
		if (lines.length === MAX_ERROR_LINES) break;
	}
	return lines;
}
