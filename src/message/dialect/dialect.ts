/**
 * How one API writes a conversation: the messages of a request, the answer with its stream, and the usage. Each API has its folder
 * here; importers, agents, the proxy and requests all read and write through it.
 */
import type { JsonObject } from "../../base/json/read.ts";
import type { Usage } from "../usage.ts";
import type { Speaker } from "../view.ts";
import type { PiBlock, PiMessage } from "./pi/message.ts";

/** A message of a request. Some APIs write an answer as several items. */
export interface RequestMessage {
	readonly speaker: Exclude<Speaker, "other">;
	readonly items: readonly JsonObject[];
}

/** An answer of a model, with its content in Pi's form. */
export interface ModelAnswer {
	readonly content: readonly PiBlock[];
	readonly id: string | undefined;
	readonly model: string | undefined;
	readonly usage: Usage | undefined;
}

/** Builds an answer from the events of its stream, or from the one JSON value that it is. */
export interface AnswerReader {
	take(data: JsonObject): void;
	/** Undefined: the answer says nothing. */
	finish(): ModelAnswer | undefined;
}

/** Facts about an answer, from one of its events. */
export interface AnswerEvent {
	/** The provider's id of the answer. */
	readonly answer?: string | undefined;
	readonly model?: string | undefined;
	readonly usage?: Usage | undefined;
	/** Ids of the calls in it. */
	readonly calls?: readonly string[] | undefined;
	/** True: agents go by the usage of this event. */
	readonly isFinal?: boolean | undefined;
}

/** Names of tools by the ids of their calls. */
export type CallNames = Map<string, string>;

export interface Dialect {
	/** Pi's name of the API. */
	readonly api: string;
	/** The field of a request that holds its messages. */
	readonly field: "messages" | "input";
	/** True: this HTTP request asks a model for an answer. */
	isCall(method: string, path: string): boolean;
	/** The part of a request before its messages: tools and system text. */
	readHead(body: JsonObject): unknown;
	readMessages(body: JsonObject): readonly RequestMessage[];
	/** Adds the calls of the message to `calls`, and names the tools of its results from there. */
	toPi(message: RequestMessage, calls: CallNames): readonly PiMessage[];
	openAnswer(): AnswerReader;
	/** A user's item with a text after its own. */
	appendText(item: JsonObject, text: string): JsonObject;
}

/** An answer as an HTTP response carries it. */
export interface RenderedAnswer {
	/** Its `content-type`. */
	readonly type: string;
	readonly body: string;
}

export function renderJson(answer: JsonObject): RenderedAnswer {
	return { type: "application/json", body: JSON.stringify(answer) };
}

export function renderStream(events: readonly JsonObject[]): RenderedAnswer {
	return { type: "text/event-stream", body: events.map(renderEvent).join("") };
}

/** A server-sent event, named by its `type`. */
export function renderEvent(data: JsonObject): string {
	return `event: ${String(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
}
