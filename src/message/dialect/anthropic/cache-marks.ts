/**
 * The places where Anthropic writes its cache. Pi marks the end of the prompt, of the tools and of the last message. Text for
 * one request alone is gone in the next: a mark there would be paid each time and never read, so it moves to the block before.
 * The provider takes four marks; the fourth goes to the end of the seed, which outlives many requests.
 */
import { asList, asObject, type JsonObject } from "../../../base/json/read.ts";
import { blocksOf } from "../content.ts";
import { itemsOf } from "./dialect.ts";

const MAX_MARKS = 4;

export interface CacheMarkOptions {
	/** The text at the end of the request, if it is for this request alone. */
	readonly last?: string | undefined;
	/** How many messages at the end are for this request alone. */
	readonly trailing?: number | undefined;
	/** The first message is a seed. */
	readonly isSealed: boolean;
}

/** Gives the payload itself where no mark changes. */
export function markCache(payload: unknown, { last, trailing = 1, isSealed }: CacheMarkOptions): unknown {
	const request = last === undefined && !isSealed ? undefined : asObject(payload);
	if (!request || !Array.isArray(request["messages"])) return payload;
	const given = itemsOf(request);
	const moved = last === undefined ? given : moveMark(given, last, trailing);
	const messages = isSealed && canMarkOneMore({ ...request, messages: moved }) ? markFirst(moved) : moved;
	return messages === given ? payload : { ...request, messages };
}

/** A request without any mark stays without: the user wants no cache. */
function canMarkOneMore(request: JsonObject): boolean {
	const marks = countMarks(request);
	return marks > 0 && marks < MAX_MARKS;
}

function moveMark(messages: readonly JsonObject[], last: string, trailing: number): readonly JsonObject[] {
	const [before, end] = [messages.at(-1 - trailing), messages.at(-1)];
	const blocks = blocksOf(end?.["content"]);
	const block = blocks.at(-1);
	const mark = block?.["cache_control"];
	if (!before || block?.["text"] !== last || mark === undefined) return messages;
	const { cache_control: _, ...plain } = block;
	return [
		...messages.slice(0, -1 - trailing),
		withMark(before, mark),
		...messages.slice(-trailing, -1),
		{ ...end, content: [...blocks.slice(0, -1), plain] },
	];
}

function markFirst(messages: readonly JsonObject[]): readonly JsonObject[] {
	const [first, ...rest] = messages;
	if (!first || blocksOf(first["content"]).at(-1)?.["cache_control"] !== undefined) return messages;
	return [withMark(first, { type: "ephemeral" }), ...rest];
}

function withMark(message: JsonObject, mark: unknown): JsonObject {
	const blocks = blocksOf(message["content"]);
	const end = blocks.at(-1);
	if (!end) return message;
	return { ...message, content: [...blocks.slice(0, -1), { ...end, cache_control: mark }] };
}

function countMarks(request: JsonObject): number {
	const messages = itemsOf(request).flatMap(({ content }) => blocksOf(content));
	const blocks = [...asList(request["system"]), ...asList(request["tools"]), ...messages];
	return blocks.filter((block) => asObject(block)?.["cache_control"] !== undefined).length;
}
