/** Claude Code's requests. It speaks Anthropic's Messages API. */
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import {
	isAnthropicEvent,
	raiseAnthropicUsage,
	readAnthropicEvent,
	renderAnthropicAnswer,
} from "../../message/dialect/anthropic/answer.ts";
import {
	anthropicDialect,
	callIds,
	itemsOf,
	resultIds,
	withoutCacheMarks,
} from "../../message/dialect/anthropic/dialect.ts";
import { keepThinking, signaturesOf } from "../../message/thinking.ts";
import { readThinkingSwitch, thinkingRule } from "../../message/thinking-rules.ts";
import { SEED_USAGE } from "../live/seed-offer-event.ts";
import { oneHeader } from "./headers.ts";
import type { CompactionRequest, RequestFacts, Wire } from "./wire.ts";

const OPENING = "CRITICAL: Respond with TEXT ONLY";
const PURPOSE = "detailed summary of the conversation";
const INSTRUCTIONS = /\n(?:Additional|Compact) Instructions:\n([\s\S]*)$/i;
/** Claude Code's own words after the user's. */
const REMINDER = /\n\s*REMINDER: Do NOT call any tools[\s\S]*$/;

const REMINDER_MARK = "<system-reminder>";

const TOOL = "lcm_expand";
const OUR_TOOL = Buffer.from(TOOL);
const HAS_TOOLS = Buffer.from('"tools":[{');

export const claudeCodeWire: Wire = {
	hasOwnManifests: true,
	isCall: anthropicDialect.isCall,

	canLeaveEarly: () => true,

	readCaller(headers) {
		const id = oneHeader(headers, "x-claude-code-session-id");
		if (id === undefined) return undefined;
		const child = oneHeader(headers, "x-claude-code-agent-id");
		const version = /claude-cli\/(\S+)/.exec(headers["user-agent"] ?? "")?.[1];
		// Claude Code names this feature in requests of an account without a key.
		const features = oneHeader(headers, "anthropic-beta") ?? "";
		const isFlat = features.includes("oauth-");
		const isLong = features.includes("context-1m-");
		const session = child === undefined ? id : `${id}/${child}`;
		return { agent: "claude-code", id, session, version, ...(isFlat && { isFlat }), ...(isLong && { isLong }) };
	},

	signs: [Buffer.from(OPENING)],

	glance(body, namesTools): RequestFacts | undefined {
		// Inside a text the quotes would be escaped.
		const isTurn = body.includes(HAS_TOOLS);
		if (isTurn && !namesTools && body.includes(OUR_TOOL)) return undefined;
		return { isTurn, model: undefined, namesTools, head: [], messages: () => [], newestResult: undefined };
	},

	readFacts(body): RequestFacts {
		const tools = asList(body["tools"]);
		const messages = itemsOf(body);
		// Tools that are not loaded yet are named in a message.
		const listed = messages.filter(({ role }) => role === "system").map(textOf);
		const named = [...tools.map((tool) => asText(asObject(tool)?.["name"]) ?? ""), ...listed];
		return {
			isTurn: tools.length > 0,
			model: asName(body["model"]),
			namesTools: named.some((text) => text.includes(TOOL)),
			head: anthropicDialect.readHead(body),
			messages: () => messages.map((message) => asObject(withoutCacheMarks(message)) ?? {}),
			newestResult: resultIds(messages).at(-1),
		};
	},

	readCompaction(body): CompactionRequest | undefined {
		const messages = itemsOf(body);
		// Claude Code may add notices of its own after it.
		const newest = messages.findLast(({ role }) => role !== "system");
		const asked = newest?.["role"] === "user" ? lastText(newest) : undefined;
		if (asked === undefined || !asked.startsWith(OPENING) || !asked.includes(PURPOSE)) return undefined;
		return {
			words: wordsOf(asked),
			calls: new Set(callIds(messages)),
			newestResult: resultIds(messages).at(-1),
			newestTexts: newestTexts(messages),
			keepsNewest: true,
			answer: (seed) =>
				renderAnthropicAnswer(body, {
					id: "msg_weft_seed",
					text: `<analysis>weft</analysis>\n<summary>\n${inSummary(seed)}\n</summary>`,
					usage: SEED_USAGE,
				}),
		};
	},

	boundThinking(body) {
		const messages = itemsOf(body);
		const signatures = signaturesOf(messages);
		const { api } = anthropicDialect;
		const rule = thinkingRule({ model: asName(body["model"]), api, thinking: readThinkingSwitch(body) });
		if (rule !== "bound") return undefined;
		return {
			signatures,
			texts: () => messages.filter(({ role }) => role === "user").map(textOf),
			without: (left) => keepThinking(body, new Set([...signatures].filter((each) => !left.has(each)))),
		};
	},

	isAnswerEvent: isAnthropicEvent,
	readEvent: readAnthropicEvent,
	raiseUsage: raiseAnthropicUsage,
};

function textOf({ content }: JsonObject): string {
	if (typeof content === "string") return content;
	return asList(content)
		.map((block) => asText(asObject(block)?.["text"]) ?? "")
		.join("\n");
}

/** The newest text, if it has no cache mark: Claude Code marks the words of a person, and not its own request for a summary. */
function lastText({ content }: JsonObject): string | undefined {
	if (typeof content === "string") return content;
	const block = asObject(asList(content).at(-1));
	return block?.["type"] === "text" && block["cache_control"] === undefined ? asText(block["text"]) : undefined;
}

/** Without the request for a summary, Claude Code's own reminders, and the first message, which may hold an earlier summary. */
function newestTexts(messages: readonly JsonObject[]): string[] {
	const blocks = messages
		.slice(1)
		.filter(({ role }) => role !== "system")
		.flatMap(({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : asList(content)))
		.map((block) => asObject(block) ?? {});
	const isResult = ({ type }: JsonObject) => type === "tool_result";
	return blocks
		.slice(blocks.findLastIndex(isResult) + 1, -1)
		.flatMap(({ type, text }) => (type === "text" ? (asText(text) ?? []) : []))
		.filter((text) => text.trim() !== "" && !text.startsWith(REMINDER_MARK));
}

function wordsOf(asked: string): string | undefined {
	const words = INSTRUCTIONS.exec(asked)?.[1]?.replace(REMINDER, "").trim();
	return words === undefined || words === "" ? undefined : words;
}

/** Claude Code takes the text between its marks. A file in the seed may hold the same marks. */
function inSummary(seed: string): string {
	return seed.replaceAll(/<(\/?)(summary|analysis)>/gi, "<$1 $2>");
}
