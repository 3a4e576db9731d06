/**
 * The text of a file as the model last knew it, rebuilt from the log: from reads, writes and the changes since. Stores
 * nothing of its own. A text counts only if its hash proves it.
 */
import { applyPatch } from "diff";
import { sha256 } from "../base/hash/sha256.ts";
import { asObject, asText, type JsonObject } from "../base/json/read.ts";
import { plainText } from "../base/text/lines.ts";
import { type EventRecord, isA, type Payload } from "../log/event/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { LogView, ReadQuery } from "../log/types.ts";
import { type ResultBlock, viewMessage } from "../message/view.ts";
import { findShownSlice, printedSlices, textsWithin } from "../state/session/shown-slice.ts";
import { toolClass } from "../state/session/tool-class.ts";
import { earlierCallsIn, earlierNotesIn } from "./earlier-calls.ts";
import type { FileRecord } from "./file-record.ts";
import { type FileKeeperOptions, Keeper } from "./keeper.ts";
import { isWhole } from "./shown-lines.ts";
import type { BaseText } from "./types.ts";

/** Of one file; the text is further back only after very many edits without a read. */
const MAX_EVENTS = 100;
/** A write's call comes shortly before its result, and a command's result shortly after the verdict. */
const MAX_CALLS = 200;

export type BaseSource = (record: FileRecord, of: { readonly session: string }) => BaseText | undefined;

type Records = Pick<LogView, "read" | "get">;

/**
 * The guard's view of a log: earlier texts, lines shown by the user, the place of a message, and storage for texts about
 * to be lost.
 */
export function knowledgeOf(
	log: Records &
		FileKeeperOptions["log"] & { readonly putBlob: (bytes: Uint8Array) => string; readonly readOnly: boolean },
	tree: { readonly find: (of: SessionRef, entry: string) => number | undefined },
	keeping: Omit<FileKeeperOptions, "log">,
) {
	return {
		base: baseFromLog(log),
		wasSaid: userLinesIn(log),
		earlierCalls: earlierCallsIn(log),
		earlierNotes: earlierNotesIn(log),
		seqOf: (of: SessionRef, entry: string) => tree.find(of, entry),
		keep: (bytes: Uint8Array) => log.putBlob(bytes),
		keeper: log.readOnly ? undefined : new Keeper({ log, ...keeping }),
	};
}

export function baseFromLog(log: Records): BaseSource {
	return (record, { session }) => {
		const read = (...types: string[]) => [
			...log.read({ session, file: record.path, types, order: "newest", limit: MAX_EVENTS }),
		];
		const events = read("FileRead", "FileChanged");
		return (
			wholeText(log, record, events) ??
			// The output of a command may have shown it, which only the guard has noticed.
			wholeText(log, record, read("FileRead", "FileChanged", "Verdict")) ??
			shownParts(log, events)
		);
	};
}

/** Goes back to an event with the whole file, then forward over the changes after it. */
function wholeText(log: Records, record: FileRecord, events: readonly EventRecord[]): BaseText | undefined {
	const diffs: { readonly text: string | undefined; readonly isOwn: boolean }[] = [];
	for (const event of events) {
		const text = knownText(log, event);
		// Changes by others count if the session was shown them, which the hash proves.
		for (const passed of [diffs, diffs.filter(({ isOwn }) => isOwn)]) {
			const after = passed.reduceRight<string | undefined>((before, diff) => patched(before, diff.text), text);
			const proven = proof(record, after);
			if (proven !== undefined) return { kind: "whole", text: proven };
		}
		if (!isA(event, "FileChanged")) continue;
		const isOwn = event.payload.actor !== "other";
		if (isOwn && event.payload.diff === undefined) return undefined;
		diffs.push({ text: event.payload.diff, isOwn });
	}
	return undefined;
}

/** Some agents show a text without its last line break, and with \n for \r\n. */
function proof(record: Pick<FileRecord, "hash" | "textHash">, text: string | undefined): string | undefined {
	if (text === undefined || record.hash === null) return undefined;
	const plain = plainText(text);
	for (const spelt of [text, plain, `${plain}\n`]) {
		const hash = sha256(spelt);
		if (hash === record.hash || hash === record.textHash) return spelt;
	}
	return undefined;
}

/** The newest reads, down to the newest change. */
function shownParts(log: Records, events: readonly EventRecord[]): BaseText | undefined {
	const slices: { from: number; text: string }[] = [];
	for (const event of events) {
		if (isA(event, "FileChanged") && event.payload.actor !== "other") break;
		if (!isA(event, "FileRead")) continue;
		const text = shownText(log, event, event.payload);
		if (text === undefined) return undefined;
		slices.push({ from: event.payload.from, text });
	}
	return slices.length === 0 ? undefined : { kind: "slices", slices: slices.sort((a, b) => a.from - b.from) };
}

/** A read from line 1 may have shown the whole file: the hash decides. */
function knownText(log: Records, event: EventRecord): string | undefined {
	if (isA(event, "FileRead")) return event.payload.from === 1 ? shownText(log, event, event.payload) : undefined;
	if (isA(event, "Verdict")) return printedText(log, event, event.payload);
	if (!isA(event, "FileChanged") || event.payload.kind !== "write" || event.payload.actor === "other") return undefined;
	const { diff, callId } = event.payload;
	return diff?.startsWith("--- /dev/null") ? patched("", diff) : writtenText(log, event, callId);
}

/** The text that a read showed, from the message that caused the event. */
function shownText(log: Records, event: EventRecord, payload: Payload<"FileRead">): string | undefined {
	const block = resultIn(log, event.cause, payload.callId);
	if (!block) return undefined;
	const input = { path: payload.path, offset: payload.from };
	const slice = findShownSlice({ tool: payload.tool, class: "read", input }, block)?.text;
	const isIt = (text: string) => sha256(text) === payload.sliceHash;
	if (slice !== undefined && isIt(slice)) return slice;
	return textsWithin(block.text).find(isIt) ?? printedPart(log, event, payload, block)?.find(isIt);
}

/** The texts of files in the output of a command. */
function printedPart(
	log: Records,
	event: EventRecord,
	{ tool, callId }: Payload<"FileRead">,
	block: ResultBlock,
): string[] | undefined {
	const of = toolClass(tool);
	if (of !== "shell") return undefined;
	const input = inputOf(log, event, callId);
	return input && printedSlices({ tool, class: of, input }, block).map(({ text }) => text);
}

/** The text in the output of a command that showed the whole file. */
function printedText(log: Records, { session }: EventRecord, payload: Payload<"Verdict">): string | undefined {
	const { verdict, why, callId, hash, shown } = payload;
	if (verdict !== "refresh" || why !== "shown" || hash === undefined || !isWhole(shown ?? [])) return undefined;
	const results = log.read({ session, types: ["ToolResult"], order: "newest", limit: MAX_CALLS });
	const result = Iterator.from(results).find((event) => event.payload["callId"] === callId);
	const block = result && callId !== undefined ? resultIn(log, result.cause, callId) : undefined;
	if (!block) return undefined;
	const of = { hash, textHash: payload.textHash ?? null };
	return [block.text, ...textsWithin(block.text)].map((text) => proof(of, text)).find((text) => text !== undefined);
}

function resultIn(log: Records, cause: number | null, callId: string): ResultBlock | undefined {
	const message = cause === null ? undefined : log.get(cause);
	if (message?.type !== "Message") return undefined;
	for (const block of viewMessage(message.payload).blocks) {
		if (block.kind === "result" && block.callId === callId) return block;
	}
	return undefined;
}

/** The text of a write, from the message with its call. */
function writtenText(log: Records, event: EventRecord, callId: string | undefined): string | undefined {
	return asText(inputOf(log, event, callId)?.["content"]);
}

/** The arguments of a call, from its message. */
function inputOf(log: Records, event: EventRecord, callId: string | undefined): JsonObject | undefined {
	const query = { session: event.session, types: ["ToolCalled"], order: "newest", upTo: event.seq } as const;
	for (const called of log.read({ ...query, limit: MAX_CALLS })) {
		if (!isA(called, "ToolCalled") || called.payload.callId !== callId || called.cause === null) continue;
		const message = log.get(called.cause);
		if (message?.type !== "Message") return undefined;
		for (const block of viewMessage(message.payload).blocks) {
			if (block.kind === "call" && block.id === callId) return asObject(block.input);
		}
		return undefined;
	}
	return undefined;
}

function patched(text: string | undefined, diff: string | undefined): string | undefined {
	if (text === undefined || diff === undefined) return undefined;
	try {
		const after = applyPatch(text, diff);
		return after === false ? undefined : after;
	} catch {
		return undefined;
	}
}

/** The session's newest messages, those of the model and its tools included. */
const MAX_MESSAGES = 1_000;

/**
 * Did the user show these lines to the model: in a prompt, in an attached file, or by a command run by hand? Only whole
 * lines count: a word that the user mentions is no line of a file.
 */
export type UserLineSource = (of: SessionRef, lines: readonly string[]) => boolean;

function userLinesIn(log: { readonly read: (query: ReadQuery) => Iterable<EventRecord> }): UserLineSource {
	return ({ session, host }, wanted) => {
		const missing = new Set(wanted);
		const query = { session, host, types: ["Message"], order: "newest", limit: MAX_MESSAGES } as const;
		for (const { payload } of log.read(query)) {
			const { speaker, blocks, shown, isSent } = viewMessage(payload);
			if (speaker !== "user" || !isSent) continue;
			const texts = blocks.map((block) => (block.kind === "text" ? block.text : ""));
			const said = `\n${plainText(shown ?? texts.join("\n"))}\n`;
			for (const lines of missing) if (said.includes(`\n${lines}\n`)) missing.delete(lines);
			if (missing.size === 0) return true;
		}
		return false;
	};
}
