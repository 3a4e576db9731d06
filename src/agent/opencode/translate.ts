/**
 * Rows of an opencode database as events; `docs/formats/opencode.md` describes them. The parts of a message come before the
 * message itself. Together they are one message, plus one for each result, because one part holds a call and its result.
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
import { imageOfUrl, type PiBlock, textBlock } from "../../message/dialect/pi/message.ts";
import type { Usage } from "../../message/usage.ts";
import { type NotedChange, notedRead, type ReaderNotes } from "../../state/session/reader-notes.ts";
import { isOutline } from "../../state/session/shown-slice.ts";
import { type SaidMessage, SessionWriter } from "../recorded/session-writer.ts";

export interface OpencodeSession {
	readonly host: string;
	readonly session: string;
	readonly parent: string | undefined;
	readonly cwd: string | undefined;
	readonly version: string | undefined;
	/** ms since the epoch. A fork copied the messages before it from another session. */
	readonly created: number;
	/** The name of a child's session. */
	readonly childName: (id: string) => string;
	/** Stores the whole output behind the path that a cut output names; returns its SHA-256. */
	readonly keepOutput?: ((path: string) => string | undefined) | undefined;
}

export class OpencodeTranslator {
	readonly #of: OpencodeSession;
	readonly #writer: SessionWriter;
	#parts: RowPart[] = [];

	constructor(of: OpencodeSession) {
		this.#of = of;
		this.#writer = new SessionWriter(of.host, of.session);
	}

	translate(row: JsonObject, raw: string): NewEvent[] {
		const { created, cwd, version: format, parent: parentSession } = this.#of;
		const data = asObject(row["data"]) ?? {};
		const ts = asTime(row["time_created"]) ?? created;
		const start = this.#writer.start({ ts: created, cwd, format, parentSession });
		if (row["table"] === undefined) return [...start, ...this.#exported(row, raw)];
		const kept = this.#writer.record(asName(row["table"]) ?? "row", raw, ts);
		if (row["table"] === "part") this.#parts.push({ part: { ...data, id: row["id"] }, from: kept.entry });
		if (row["table"] !== "message") return [...start, kept];
		const parts = this.#parts;
		this.#parts = [];
		const said = asTime(asObject(data["time"])?.["created"]) ?? ts;
		return [...start, kept, ...this.#message(data, asName(row["id"]) ?? kept.entry, said, kept.entry, parts)];
	}

	/** A message of an export with its parts, or the session without them. */
	#exported(record: JsonObject, raw: string): NewEvent[] {
		const info = asObject(record["info"]) ?? {};
		const ts = asTime(asObject(info["time"])?.["created"]) ?? this.#of.created;
		const isMessage = Array.isArray(record["parts"]);
		const kept = this.#writer.record(isMessage ? "message" : "session", raw, ts);
		if (!isMessage) return [kept];
		const parts = asList(record["parts"]).map((part) => ({ part: asObject(part) ?? {}, from: kept.entry }));
		return [kept, ...this.#message(info, asName(info["id"]) ?? kept.entry, ts, kept.entry, parts)];
	}

	#message(data: JsonObject, id: string, ts: number, from: string, parts: readonly RowPart[]): NewEvent[] {
		const isCopy = ts < this.#of.created;
		const say = (said: Omit<SaidMessage, "isCopy">) => this.#writer.say({ ...said, isCopy });
		if (data["role"] === "user") return this.#user(id, ts, from, parts, say);
		const content = parts.flatMap(({ part }) => answerBlocks(part));
		const message = {
			role: "assistant",
			content,
			api: "opencode",
			provider: asName(data["providerID"]) ?? "unknown",
			model: asName(data["modelID"]) ?? "unknown",
			usage: isCopy ? undefined : usageOf(data),
			stopReason: asObject(data["error"]) ? "error" : undefined,
		} as const;
		const events = say({ entry: id, message, ts, from });
		const summary = parts
			.flatMap(({ part }) => (part["type"] === "text" ? [asText(part["text"]) ?? ""] : []))
			.join("\n");
		if (data["summary"] === true)
			return [...events, ...this.#writer.compact({ entry: `compaction ${id}`, summary, ts, from })];
		for (const result of this.#results(parts, ts)) events.push(...say(result));
		return events;
	}

	#user(id: string, ts: number, from: string, parts: readonly RowPart[], say: Say): NewEvent[] {
		const content = parts.flatMap(({ part }) => userBlocks(part));
		if (content.length === 0) return [];
		const isOwn = parts.some(({ part }) => part["type"] === "text" && part["synthetic"] !== true);
		const attribution = isOwn && this.#of.parent === undefined ? undefined : "agent";
		return say({ entry: id, message: { role: "user", content, attribution }, ts, from, ownWords: unquoted });
	}

	#results(parts: readonly RowPart[], ts: number): SaidMessage[] {
		const tools = parts.filter(({ part }) => part["type"] === "tool");
		const files = parts.flatMap(({ part }) => (part["type"] === "patch" ? asList(part["files"]).map(String) : []));
		const notes = tools.map(({ part }) => this.#notes(part));
		// A command has changed the files that no tool for edits has.
		const named = new Set(notes.flatMap((note) => note?.changes?.map(({ path }) => path) ?? []));
		const shell = notes.findLastIndex((note) => note?.runs !== undefined);
		const byShell = files
			.filter((path) => !named.has(path))
			.map((path): NotedChange => ({ path, kind: "edit", byShell: true }));
		return tools.flatMap(({ part, from }, index): SaidMessage[] => {
			const state = asObject(part["state"]) ?? {};
			const isError = state["status"] === "error";
			// The call never ended.
			if (!isError && state["status"] !== "completed") return [];
			const note = notes[index];
			const noted = note && index === shell && byShell.length > 0 ? { ...note, changes: byShell } : note;
			const callId = asName(part["callID"]) ?? "";
			const attached = asList(state["attachments"]).flatMap(
				(file) => imageOfUrl(asText(asObject(file)?.["url"]) ?? "") ?? [],
			);
			return [
				{
					entry: `${asName(part["id"]) ?? callId}/result`,
					message: {
						role: "toolResult",
						toolCallId: callId,
						toolName: asText(part["tool"]) ?? "",
						content: [...textBlock(asText(isError ? state["error"] : state["output"]) ?? ""), ...attached],
						isError,
						details: noted && { noted },
					},
					ts: asTime(asObject(state["time"])?.["end"]) ?? ts,
					from,
					blob: this.#wholeOutput(state),
				},
			];
		});
	}

	#wholeOutput(state: JsonObject): string | undefined {
		const path = asName(asObject(state["metadata"])?.["outputPath"]);
		return path === undefined ? undefined : this.#of.keepOutput?.(path);
	}

	/** Undefined: the tool is unknown, and its name decides. */
	#notes(part: JsonObject): ReaderNotes | undefined {
		const state = asObject(part["state"]) ?? {};
		const [input, metadata] = [asObject(state["input"]) ?? {}, asObject(state["metadata"]) ?? {}];
		const isError = state["status"] === "error";
		const path = asName(input["filePath"]);
		switch (part["tool"]) {
			case "bash": {
				const command = asText(input["command"]);
				return command === undefined ? {} : { runs: [{ command, exit: asInteger(metadata["exit"]) ?? null }] };
			}
			case "read": {
				const output = asText(state["output"]) ?? "";
				const isFolder = /^(?:<path>[^\n]*<\/path>\n)?<type>directory<\/type>/.test(output);
				// weft may have replaced the text by an outline, which shows no line.
				return isError || path === undefined || isFolder || isOutline(output)
					? {}
					: { reads: [readOf(path, metadata, output)] };
			}
			case "edit":
			case "multiedit": {
				const diff = asObject(metadata["filediff"]);
				const file = asName(diff?.["file"]) ?? path;
				if (isError || file === undefined) return {};
				return { changes: [{ path: file, kind: "edit", patch: asText(diff?.["patch"]) ?? asText(metadata["diff"]) }] };
			}
			case "write": {
				const file = asName(metadata["filepath"]) ?? path;
				if (isError || file === undefined) return {};
				const created = metadata["exists"] === false;
				return { changes: [{ path: file, kind: "write", created, content: asText(input["content"]) }] };
			}
			case "task": {
				const child = asName(metadata["sessionId"]);
				if (child === undefined) return {};
				return { child: { session: this.#of.childName(child), task: asName(input["prompt"]) } };
			}
			default:
				return undefined;
		}
	}
}

interface RowPart {
	readonly part: JsonObject;
	readonly from: string;
}

type Say = (said: Omit<SaidMessage, "isCopy">) => NewEvent[];

function answerBlocks(part: JsonObject): PiBlock[] {
	switch (part["type"]) {
		case "text":
			return textBlock(asText(part["text"]) ?? "");
		case "reasoning": {
			const thinking = asText(part["text"]) ?? "";
			const given = Object.values(asObject(part["metadata"]) ?? {}).map((of) => asObject(of));
			const find = (field: string) => given.map((of) => asName(of?.[field])).find(Boolean);
			// A provider may hide the text; what it gives instead is bound to the messages before it, as a signature is.
			const [signature, hidden] = [find("signature"), find("redactedData")];
			if (signature === undefined && hidden !== undefined)
				return [{ type: "thinking", thinking, thinkingSignature: hidden, redacted: true }];
			return thinking === "" && signature === undefined
				? []
				: [{ type: "thinking", thinking, thinkingSignature: signature }];
		}
		case "tool": {
			const input = asObject(asObject(part["state"])?.["input"]) ?? {};
			return [
				{ type: "toolCall", id: asName(part["callID"]) ?? "", name: asText(part["tool"]) ?? "", arguments: input },
			];
		}
		default:
			return [];
	}
}

function userBlocks(part: JsonObject): PiBlock[] {
	if (part["type"] === "text") return textBlock(asText(part["text"]) ?? "");
	if (part["type"] !== "file") return [];
	const image = imageOfUrl(asText(part["url"]) ?? "");
	return image?.type === "image" && image.mimeType.startsWith("image/")
		? [image]
		: textBlock(`[file] ${asText(part["filename"]) ?? asText(part["url"]) ?? ""}`);
}

function readOf(path: string, metadata: JsonObject, output: string) {
	const shown = asObject(metadata["display"]);
	const text = asText(shown?.["text"]);
	if (!shown || text === undefined) return notedRead(path, 1, null, output);
	const from = asInteger(shown["lineStart"]) ?? 1;
	return notedRead(asName(shown["path"]) ?? path, from, asInteger(shown["lineEnd"]) ?? null, text);
}

/** `input` is without the cache. `total` settles whether `output` includes reasoning. */
function usageOf(data: JsonObject): Usage | undefined {
	const tokens = asObject(data["tokens"]);
	if (!tokens) return undefined;
	const cache = asObject(tokens["cache"]);
	const [input, read, write] = [tokens["input"], cache?.["read"], cache?.["write"]].map(
		(value) => asNumber(value) ?? 0,
	) as [number, number, number];
	const reasoning = asNumber(tokens["reasoning"]) ?? 0;
	const output = asNumber(tokens["output"]) ?? 0;
	const total = asNumber(tokens["total"]);
	const all = total === undefined ? output + reasoning : Math.max(output, total - input - read - write);
	const cost = asNumber(data["cost"]) ?? 0;
	// 0: the program knows no price.
	return {
		input,
		output: all,
		cacheRead: read,
		cacheWrite: write,
		reasoning,
		cost: cost > 0 ? cost : undefined,
	};
}

/** An argument of `opencode run` is kept with its quotes. */
function unquoted(text: string): string {
	return /^\s*"[\s\S]*"\s*$/.test(text) ? text.trim().slice(1, -1).replaceAll('\\"', '"') : text;
}
