/** How one API says what the proxy must understand: whose request it is, what was used, and that the host compacts. */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../base/json/read.ts";
import type { AnswerEvent, RenderedAnswer } from "../../message/dialect/dialect.ts";
import type { Usage } from "../../message/usage.ts";
import type { HeldBody } from "./held-body.ts";

/** Who asks, as the headers say. */
export interface Caller {
	/** The agent, by the name of its reader: the host of its events. */
	readonly agent: string;
	/** The agent's id of the session, under which its files are found. */
	readonly id: string;
	/** The session's name in the log: that of a sub-agent stands after the session that started it. */
	readonly session: string;
	readonly version: string | undefined;
}

/** A request by which a host asks for the summary of its own compaction. */
export interface CompactionRequest {
	/** What the user asks to keep. */
	readonly words: string | undefined;
	/** The calls among what leaves, and the newest result. */
	readonly calls: ReadonlySet<string>;
	readonly newestResult: string | undefined;
	/** True: the host keeps its newest messages as they are. */
	readonly keepsNewest: boolean;
	/** The answer in the form in which the host expects it. */
	answer(seed: string): RenderedAnswer;
}

export interface RequestFacts {
	/** False: a title, a count, a warm-up: not a request of the agent's own loop. */
	readonly isTurn: boolean;
	readonly model: string | undefined;
	/** True: the agent can call lcm_expand. */
	readonly namesTools: boolean;
	/** What stands before the messages. */
	readonly head: unknown;
	/** Each message as it counts for a provider's cache, without marks. */
	readonly messages: () => readonly JsonObject[];
	/** The call that the newest result answers. */
	readonly newestResult: string | undefined;
}

export interface Wire {
	/** True: the agent writes its requests down itself. */
	readonly hasOwnManifests: boolean;
	isCall(method: string, path: string): boolean;
	/** False: the headers say that it is not an ordinary request. */
	canLeaveEarly(headers: IncomingHttpHeaders): boolean;
	/** Undefined: nobody whose sessions are known. */
	readCaller(headers: IncomingHttpHeaders): Caller | undefined;
	/** A request without any of these texts is not a compaction, nor holds one of ours. */
	readonly signs: readonly Buffer[];
	/** The same without reading all of it. Undefined: it does not tell. */
	glance?(body: HeldBody, namesTools: boolean): RequestFacts | undefined;
	readFacts(body: JsonObject, headers: IncomingHttpHeaders): RequestFacts;
	readCompaction(body: JsonObject, headers: IncomingHttpHeaders): CompactionRequest | undefined;
	/** The request with our seeds in place of what only we can read; undefined: there is none in it. */
	openSeeds?(body: JsonObject): JsonObject | undefined;
	/** Names of the events that tell something. */
	isAnswerEvent(event: string): boolean;
	readEvent(data: JsonObject): AnswerEvent | undefined;
	/** The event that tells the usage, with so many tokens more. They are told as read from the cache. */
	raiseUsage(data: JsonObject, tokens: number, usage: Usage): JsonObject;
}
