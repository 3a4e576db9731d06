/**
 * How one API writes a conversation: its messages in a request, the answer in a stream, and where a text of ours can stand. For
 * agents that nobody knows: what they say is taken from the wire alone.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../../base/json/read.ts";
import type { MadeBlock, MadeMessage, MadeUsage } from "../../recorded/session-writer.ts";
import { oneHeader } from "../messages-wire.ts";

/** One message of a request. An answer may be several items of it. */
export interface Spoken {
	readonly speaker: "system" | "user" | "assistant" | "result";
	readonly items: readonly JsonObject[];
}

export interface MadeAnswer {
	readonly content: readonly MadeBlock[];
	readonly id: string | undefined;
	readonly model: string | undefined;
	readonly usage: MadeUsage | undefined;
}

/** Puts an answer together from its events, or from the one value that it is. */
export interface AnswerReader {
	take(data: JsonObject): void;
	/** Undefined: nothing was said. */
	made(): MadeAnswer | undefined;
}

/** Names of tools by the ids of their calls. */
export type CallNames = Map<string, string>;

export interface Talk {
	readonly api: string;
	/** Where the messages stand in a request. */
	readonly field: "messages" | "input";
	isCall(method: string, path: string): boolean;
	/** What stands before the messages. */
	head(body: JsonObject): unknown;
	spoken(body: JsonObject): readonly Spoken[];
	/** As weft writes it down. */
	made(spoken: Spoken, calls: CallNames): readonly MadeMessage[];
	answer(): AnswerReader;
	/** A message of the user with a text after its own. */
	withText(item: JsonObject, text: string): JsonObject;
}

/** Agents that name their session do it in one of these. A `prompt_cache_key` does not: it is shared by whole applications. */
const SESSION_HEADERS = ["x-session-id", "x-session-affinity", "session-id", "session_id", "thread-id"];
const MAX_NAME_CHARS = 100;

export function sessionNamed(headers: IncomingHttpHeaders): string | undefined {
	return safeName(SESSION_HEADERS.map((header) => oneHeader(headers, header)).find((each) => each !== undefined));
}

/** Undefined: it cannot be the name of a session. */
export function safeName(name: string | undefined): string | undefined {
	return name !== undefined && /^[\w.:-]+$/.test(name) && name.length <= MAX_NAME_CHARS ? name : undefined;
}

export function parsed(text: string): unknown {
	try {
		return JSON.parse(text === "" ? "{}" : text);
	} catch {
		return text;
	}
}
