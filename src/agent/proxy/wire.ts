/** Reads one agent's requests and answers: the sender, the usage, and whether the agent compacts. */
import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject } from "../../base/json/read.ts";
import type { AnswerEvent, RenderedAnswer } from "../../message/dialect/dialect.ts";
import type { Usage } from "../../message/usage.ts";
import type { HeldBody } from "./held-body.ts";

/** The sender of a request, by its headers. */
export interface Caller {
	/** The agent, by the name of its reader: the host of its events. */
	readonly agent: string;
	/** The agent's id of the session, under which its files are found. */
	readonly id: string;
	/** The session's name in the log: `<session>/<sub-agent>` for a sub-agent. */
	readonly session: string;
	readonly version: string | undefined;
	/** The user signed in with a subscription at a flat rate. */
	readonly isFlat?: true | undefined;
	/** The request asks for a window of a million tokens. */
	readonly isLong?: true | undefined;
}

/** A request by which an agent asks for the summary of its own compaction. */
export interface CompactionRequest {
	/** The user's wishes for the summary. */
	readonly words: string | undefined;
	/** Who wanted it; undefined: the request does not say. */
	readonly by?: "user" | "agent" | undefined;
	/** Ids of the calls that leave the context, and of the newest result among them. */
	readonly calls: ReadonlySet<string>;
	readonly newestResult: string | undefined;
	/** Texts that leave after that result, in order. An agent may write them down later than it sends them. */
	readonly newestTexts: readonly string[];
	/** True: the agent keeps its newest messages as they are. */
	readonly keepsNewest: boolean;
	/** The seed in the form that the agent expects. */
	answer(seed: string): RenderedAnswer;
}

/** Facts about a request that the agent has sent. */
export interface RequestFacts {
	/** False: a title, a count, a warm-up: not a request of the agent's own loop. */
	readonly isTurn: boolean;
	readonly model: string | undefined;
	/** True: the agent can call lcm_expand. */
	readonly namesTools: boolean;
	/** The part before the messages. */
	readonly head: unknown;
	/** Each message as it counts for a provider's cache, without marks. */
	readonly messages: () => readonly JsonObject[];
	/** The call that the newest result answers. */
	readonly newestResult: string | undefined;
}

/** The thinking in a request to a model that binds it to what is before it. */
export interface BoundThinking {
	readonly signatures: ReadonlySet<string>;
	/** Of the user's messages. */
	texts(): readonly string[];
	/** The request without the thinking that has one of these signatures. */
	without(signatures: ReadonlySet<string>): JsonObject;
}

export interface Wire {
	/** True: the agent records its requests itself. */
	readonly hasOwnManifests: boolean;
	isCall(method: string, path: string): boolean;
	/** False: the headers show a special request. */
	canLeaveEarly(headers: IncomingHttpHeaders): boolean;
	/** Undefined: the headers name no session. */
	readCaller(headers: IncomingHttpHeaders): Caller | undefined;
	/** A request without any of these texts is no compaction, and holds no seed of ours. */
	readonly signs: readonly Buffer[];
	/** Facts without parsing the body. Undefined: only the whole body shows them. */
	glance?(body: HeldBody, namesTools: boolean): RequestFacts | undefined;
	readFacts(body: JsonObject, headers: IncomingHttpHeaders): RequestFacts;
	readCompaction(body: JsonObject, headers: IncomingHttpHeaders): CompactionRequest | undefined;
	/** The request with our packed seeds replaced by their texts; undefined: it holds none. */
	openSeeds?(body: JsonObject): JsonObject | undefined;
	/** Undefined: the request's model does not bind thinking. */
	boundThinking?(body: JsonObject): BoundThinking | undefined;
	/** True: `readEvent` reads something from events of this name. */
	isAnswerEvent(event: string): boolean;
	readEvent(data: JsonObject): AnswerEvent | undefined;
	/** The event with the final usage, raised by `tokens` that count as read from the cache. */
	raiseUsage(data: JsonObject, tokens: number, usage: Usage): JsonObject;
}
