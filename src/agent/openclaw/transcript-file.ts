/**
 * The session file of an older host: one JSON entry a line, each with its parent. Today's hosts keep their transcripts
 * elsewhere and pass a key in place of the path; the rows that their cursor returned are in the log.
 */
import { statOf } from "../../base/file/regular-file.ts";
import { asName, asObject, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { Engine } from "../../engine.ts";
import { readLines } from "../recorded/line-reader.ts";
import type { AgentMessage, SessionParams } from "./contract.ts";
import { type RowIds, readRows } from "./host-state.ts";
import { nameMessages } from "./message-names.ts";
import { withoutOwn } from "./own-message.ts";

export interface TranscriptFile {
	/** On the branch of the newest entry, oldest first. */
	readonly messages: readonly AgentMessage[];
	readonly rows: readonly RowIds[];
}

/** Undefined: the path names no file. */
export async function readTranscriptFile(path: string | undefined): Promise<TranscriptFile | undefined> {
	if (path === undefined || !statOf(path)?.isFile()) return undefined;
	const entries = new Map<string, JsonObject>();
	let newest: string | undefined;
	for await (const { text } of readLines(path)) {
		const entry = parseObject(text);
		const id = entry && asName(entry["id"]);
		if (!entry || id === undefined || entry["type"] === "session") continue;
		entries.set(id, entry);
		newest = id;
	}
	const ids = new Map<AgentMessage, string>();
	for (let at = newest; at !== undefined; ) {
		const entry: JsonObject | undefined = entries.get(at);
		// Deleted, so that a damaged file cannot loop.
		entries.delete(at);
		const message = entry?.["type"] === "message" ? asObject(entry["message"]) : undefined;
		if (message && typeof message["role"] === "string") ids.set(message as unknown as AgentMessage, at);
		at = asName(entry?.["parentId"]);
	}
	const messages = withoutOwn([...ids.keys()].reverse());
	const names = nameMessages(messages);
	return { messages, rows: messages.map((message, at): RowIds => [ids.get(message) ?? "", names[at] ?? ""]) };
}

/** The rows of a session's transcript, newest first. */
export async function readHostRows(
	engine: Engine,
	{ sessionId, sessionFile }: SessionParams,
): Promise<Iterable<RowIds>> {
	const file = await readTranscriptFile(sessionFile);
	return file ? file.rows.toReversed() : readRows(engine, sessionId);
}

/** Undefined: no row holds that message. */
export function hostIdOf(entry: string | null, rows: Iterable<RowIds>): string | undefined {
	for (const [entryId, name] of rows) if (name === entry) return entryId;
	return undefined;
}
