/**
 * Where Anthropic's cache is to be written. Pi marks the end of the prompt, of the tools and of the last message. What is
 * said last is gone in the next request: a mark there would be paid each time and never read, so it moves to the block
 * before. The fourth mark that the provider takes stands at the end of the seed, which outlives many requests.
 */
import { asList, asObject, type JsonObject } from "../../../base/json/read.ts";

const MAX_MARKS = 4;

export interface MarkOptions {
	/** The text with which it ends, where that is for this request alone, and of how many messages it is the last. */
	readonly last?: string | undefined;
	readonly trailing?: number | undefined;
	/** The first message is a seed. */
	readonly sealed: boolean;
}

/** The payload itself where nothing is to be changed. */
export function markCache(payload: unknown, { last, trailing = 1, sealed }: MarkOptions): unknown {
	const request = last === undefined && !sealed ? undefined : asObject(payload);
	if (!request || !Array.isArray(request["messages"])) return payload;
	const given = asList(request["messages"]).map((message) => asObject(message) ?? {});
	const moved = last === undefined ? given : moveMark(given, last, trailing);
	const messages = sealed && mayMarkOneMore({ ...request, messages: moved }) ? markFirst(moved) : moved;
	return messages === given ? payload : { ...request, messages };
}

/** No mark at all: the user wants no cache. */
function mayMarkOneMore(request: JsonObject): boolean {
	const marks = countMarks(request);
	return marks > 0 && marks < MAX_MARKS;
}

function moveMark(messages: readonly JsonObject[], last: string, trailing: number): readonly JsonObject[] {
	const end = blocksOf(messages.at(-1));
	const block = end.at(-1);
	const mark = block?.["cache_control"];
	const before = messages.at(-1 - trailing);
	if (!before || block?.["text"] !== last || mark === undefined) return messages;
	const { cache_control: _, ...plain } = block;
	return [
		...messages.slice(0, -1 - trailing),
		withMark(before, mark),
		...messages.slice(-trailing, -1),
		{ ...messages.at(-1)!, content: [...end.slice(0, -1), plain] },
	];
}

function markFirst(messages: readonly JsonObject[]): readonly JsonObject[] {
	const [first, ...rest] = messages;
	if (!first || blocksOf(first).at(-1)?.["cache_control"] !== undefined) return messages;
	return [withMark(first, { type: "ephemeral" }), ...rest];
}

function withMark(message: JsonObject, mark: unknown): JsonObject {
	const blocks = blocksOf(message);
	const end = blocks.at(-1);
	if (!end) return message;
	return { ...message, content: [...blocks.slice(0, -1), { ...end, cache_control: mark }] };
}

function blocksOf(message: JsonObject | undefined): JsonObject[] {
	const content = message?.["content"];
	if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
	return asList(content).map((block) => asObject(block) ?? {});
}

function countMarks(request: JsonObject): number {
	const messages = asList(request["messages"]).flatMap((message) => blocksOf(asObject(message)));
	const blocks = [...asList(request["system"]), ...asList(request["tools"]), ...messages];
	return blocks.filter((block) => asObject(block)?.["cache_control"] !== undefined).length;
}
