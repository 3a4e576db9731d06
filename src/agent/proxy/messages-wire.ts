/** Anthropic's Messages API, as Claude Code speaks it. */
import type { IncomingHttpHeaders } from "node:http";
import { asList, asName, asNumber, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { SEED_USAGE } from "../live/seed-offered.ts";
import type { HostCompaction, Look, TokenCounts, Told, Wire } from "./wire.ts";

const OPENING = "CRITICAL: Respond with TEXT ONLY";
const PURPOSE = "detailed summary of the conversation";
const INSTRUCTIONS = /\n(?:Additional|Compact) Instructions:\n([\s\S]*)$/i;
/** What Claude Code says after the user's words. */
const REMINDER = /\n\s*REMINDER: Do NOT call any tools[\s\S]*$/;

const TOOL = "lcm_expand";
const OUR_TOOL = Buffer.from(TOOL);
const HAS_TOOLS = Buffer.from('"tools":[{');

export const messagesWire: Wire = {
	hasOwnManifests: true,
	isCall: (method, path) => method === "POST" && /\/messages(?:\?|$)/.test(path),

	mayLeaveEarly: () => true,

	caller(headers) {
		const id = oneHeader(headers, "x-claude-code-session-id");
		if (id === undefined) return undefined;
		const child = oneHeader(headers, "x-claude-code-agent-id");
		const version = /claude-cli\/(\S+)/.exec(headers["user-agent"] ?? "")?.[1];
		return { agent: "claude-code", id, session: child === undefined ? id : `${id}/${child}`, version };
	},

	signs: [Buffer.from(OPENING)],

	glance(body, namesTools): Look | undefined {
		// Inside a text the quotes would be escaped.
		const isTurn = body.includes(HAS_TOOLS);
		if (isTurn && !namesTools && body.includes(OUR_TOOL)) return undefined;
		return { isTurn, model: undefined, namesTools, head: [], messages: () => [], newestResult: undefined };
	},

	look(body): Look {
		const tools = asList(body["tools"]);
		const messages = asList(body["messages"]).map((message) => asObject(message) ?? {});
		// Tools that are not loaded yet are named in a message.
		const listed = messages.filter(({ role }) => role === "system").map(textOf);
		const named = [...tools.map((tool) => asText(asObject(tool)?.["name"]) ?? ""), ...listed];
		return {
			isTurn: tools.length > 0,
			model: asName(body["model"]),
			namesTools: named.some((text) => text.includes(TOOL)),
			head: [tools, body["system"]],
			messages: () => messages.map((message) => asObject(withoutMarks(message)) ?? {}),
			newestResult: idsOf(messages, "tool_result", "tool_use_id").at(-1),
		};
	},

	compaction(body): HostCompaction | undefined {
		const messages = asList(body["messages"]).map((message) => asObject(message) ?? {});
		// The program may add notices of its own after it.
		const newest = messages.findLast(({ role }) => role !== "system");
		const asked = newest?.["role"] === "user" ? lastText(newest) : undefined;
		if (asked === undefined || !asked.startsWith(OPENING) || !asked.includes(PURPOSE)) return undefined;
		return {
			words: wordsOf(asked),
			calls: new Set(idsOf(messages, "tool_use", "id")),
			newestResult: idsOf(messages, "tool_result", "tool_use_id").at(-1),
			keepsNewest: true,
			answer: (seed) => answerWith(body, `<analysis>weft</analysis>\n<summary>\n${inSummary(seed)}\n</summary>`),
		};
	},

	isTelling: (event) => event === "message_start" || event === "content_block_start" || event === "message_delta",

	told(data): Told | undefined {
		// An answer that is not streamed is the message itself.
		const message = data["type"] === "message_start" ? asObject(data["message"]) : data;
		if (data["type"] === "content_block_start") return { calls: callsOf([data["content_block"]]) };
		if (data["type"] === "message_delta") return { usage: countsOf(data["usage"]), isFinal: true };
		if (message?.["type"] !== "message") return undefined;
		return {
			answer: asName(message["id"]),
			model: asName(message["model"]),
			usage: countsOf(message["usage"]),
			calls: callsOf(asList(message["content"])),
			isFinal: data["type"] === "message",
		};
	},

	raised(data, tokens, { input, cacheRead, cacheWrite }) {
		const usage = asObject(data["usage"]) ?? {};
		const whole = { input_tokens: input, cache_creation_input_tokens: cacheWrite };
		return { ...data, usage: { ...whole, ...usage, cache_read_input_tokens: cacheRead + tokens } };
	},
};

export function oneHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
	const value = headers[name];
	return asName(Array.isArray(value) ? value[0] : value);
}

function countsOf(value: unknown): TokenCounts | undefined {
	const usage = asObject(value);
	if (!usage) return undefined;
	const count = (name: string) => asNumber(usage[name]) ?? 0;
	return {
		input: count("input_tokens"),
		output: count("output_tokens"),
		cacheRead: count("cache_read_input_tokens"),
		cacheWrite: count("cache_creation_input_tokens"),
	};
}

function idsOf(messages: readonly JsonObject[], type: string, field: string): string[] {
	return messages.flatMap(({ content }) => idsIn(asList(content), type, field));
}

function callsOf(content: readonly unknown[]): string[] {
	return idsIn(content, "tool_use", "id");
}

function idsIn(content: readonly unknown[], type: string, field: string): string[] {
	const blocks = content.map((block) => asObject(block) ?? {});
	return blocks.flatMap((block) => (block["type"] === type ? (asName(block[field]) ?? []) : []));
}

/** The mark moves on with each request; what carries it stands in a block, and as a text when it is gone. */
export function withoutMarks(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutMarks);
	const object = asObject(value);
	if (!object) return value;
	const fields = Object.entries(object).flatMap(([key, field]) => {
		if (key === "cache_control") return [];
		const isText = key === "content" && typeof field === "string";
		return [[key, isText ? [{ type: "text", text: field }] : withoutMarks(field)]];
	});
	return Object.fromEntries(fields);
}

function textOf({ content }: JsonObject): string {
	if (typeof content === "string") return content;
	return asList(content)
		.map((block) => asText(asObject(block)?.["text"]) ?? "")
		.join("\n");
}

/** The newest text, if nobody means to go on from it: what a person types is marked for the cache, the host's own question is not. */
function lastText({ content }: JsonObject): string | undefined {
	if (typeof content === "string") return content;
	const block = asObject(asList(content).at(-1));
	return block?.["type"] === "text" && block["cache_control"] === undefined ? asText(block["text"]) : undefined;
}

function wordsOf(asked: string): string | undefined {
	const words = INSTRUCTIONS.exec(asked)?.[1]?.replace(REMINDER, "").trim();
	return words === undefined || words === "" ? undefined : words;
}

/** The host takes what stands between its marks. A file that is shown in the seed may hold the same marks. */
function inSummary(seed: string): string {
	return seed.replaceAll(/<(\/?)(summary|analysis)>/gi, "<$1 $2>");
}

function answerWith(body: JsonObject, text: string): { readonly type: string; readonly body: string } {
	const usage = { ...SEED_USAGE, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
	const message = {
		id: "msg_weft_seed",
		type: "message",
		role: "assistant",
		model: body["model"],
		stop_sequence: null,
		usage,
	};
	if (body["stream"] !== true) {
		const whole = { ...message, content: [{ type: "text", text }], stop_reason: "end_turn" };
		return { type: "application/json", body: JSON.stringify(whole) };
	}
	const events: JsonObject[] = [
		{ type: "message_start", message: { ...message, content: [], stop_reason: null } },
		{ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
		{ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
		{ type: "content_block_stop", index: 0 },
		{ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
		{ type: "message_stop" },
	];
	return { type: "text/event-stream", body: events.map(sse).join("") };
}

export function sse(data: JsonObject): string {
	return `event: ${asText(data["type"])}\ndata: ${JSON.stringify(data)}\n\n`;
}
