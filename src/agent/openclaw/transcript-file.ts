/**
 * The messages in a session file of an older host: one JSON entry a line, each with its parent. Today's hosts keep their
 * transcripts elsewhere and pass a key in the place of a path: then there is nothing to read here.
 */
import { statSync } from "node:fs";
import { asName, asObject, type JsonObject } from "../../base/json/read.ts";
import { readLines } from "../recorded/line-reader.ts";
import type { AgentMessage } from "./contract.ts";
import type { Row } from "./host-state.ts";
import { nameMessages } from "./identity.ts";
import { withoutOwn } from "./own-message.ts";

export interface TranscriptFile {
	/** On the branch of the newest entry, oldest first. */
	readonly messages: readonly AgentMessage[];
	/** The host's id of each and ours. */
	readonly rows: readonly Row[];
}

/** Undefined: it is not a file. */
export async function readTranscriptFile(path: string | undefined): Promise<TranscriptFile | undefined> {
	if (path === undefined || !isFile(path)) return undefined;
	const entries = new Map<string, JsonObject>();
	let newest: string | undefined;
	for await (const { text } of readLines(path)) {
		const entry = parse(text);
		const id = entry && asName(entry["id"]);
		if (!entry || id === undefined || entry["type"] === "session") continue;
		entries.set(id, entry);
		newest = id;
	}
	const ids = new Map<AgentMessage, string>();
	for (let at = newest; at !== undefined; ) {
		const entry: JsonObject | undefined = entries.get(at);
		// Taken out, so that a damaged file cannot lead in circles.
		entries.delete(at);
		const message = entry?.["type"] === "message" ? asObject(entry["message"]) : undefined;
		if (message && typeof message["role"] === "string") ids.set(message as unknown as AgentMessage, at);
		at = asName(entry?.["parentId"]);
	}
	const messages = withoutOwn([...ids.keys()].reverse());
	const names = nameMessages(messages);
	return { messages, rows: messages.map((message, at): Row => [ids.get(message)!, names[at]!]) };
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function parse(text: string | undefined): JsonObject | undefined {
	try {
		return text === undefined ? undefined : asObject(JSON.parse(text));
	} catch {
		return undefined;
	}
}
