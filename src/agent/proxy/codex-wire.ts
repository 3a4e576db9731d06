/**
 * Codex's requests. It speaks OpenAI's Responses API, and compacts in two ways: with a provider of one's own it asks
 * for a text; with the built-in one it asks for an opaque item, which it sends with every later request. The proxy then puts the seed
 * in place of the item, so the provider reads the seed.
 */
import type { IncomingHttpHeaders } from "node:http";
import { sha256 } from "../../base/hash/sha256.ts";
import { asList, asName, asObject, asText, type JsonObject, parseObject } from "../../base/json/read.ts";
import type { RenderedAnswer } from "../../message/dialect/dialect.ts";
import {
	isResponsesEvent,
	raiseResponsesUsage,
	readResponsesEvent,
	renderResponsesAnswer,
	textItem,
} from "../../message/dialect/openai-responses/answer.ts";
import { callIds, itemsOf, responsesDialect, resultIds } from "../../message/dialect/openai-responses/dialect.ts";
import { packSeed, SEED_MARK, unpackSeed } from "../live/codex-compaction-item.ts";
import { oneHeader } from "./headers.ts";
import type { CompactionRequest, Wire } from "./wire.ts";

const OPENING = "You are performing a CONTEXT CHECKPOINT COMPACTION";
const TRIGGER = "compaction_trigger";

export const codexWire: Wire = {
	hasOwnManifests: false,
	isCall: responsesDialect.isCall,

	canLeaveEarly: (headers) => kindOf(headers) === "turn",

	readCaller(headers) {
		const root = oneHeader(headers, "session-id") ?? oneHeader(headers, "session_id");
		const id = oneHeader(headers, "thread-id") ?? root;
		if (id === undefined) return undefined;
		const version = /codex[\w-]*\/(\d\S*)/i.exec(headers["user-agent"] ?? "")?.[1];
		// Codex names the account of ChatGPT where it uses no key.
		const isFlat = oneHeader(headers, "chatgpt-account-id") !== undefined;
		const session = root === undefined || root === id ? id : `${root}/${id}`;
		return { agent: "codex", id, session, version, ...(isFlat && { isFlat }) };
	},

	signs: [OPENING, TRIGGER, SEED_MARK].map((sign) => Buffer.from(sign)),

	readFacts: (body, headers) => ({
		isTurn: kindOf(headers) === "turn",
		model: asName(body["model"]),
		namesTools: toolsOf(body).includes("lcm_expand"),
		head: responsesDialect.readHead(body),
		messages: () => itemsOf(body),
		newestResult: resultIds(itemsOf(body)).at(-1),
	}),

	readCompaction(body, headers): CompactionRequest | undefined {
		const items = itemsOf(body);
		const last = items.at(-1);
		const isOpaque = last?.["type"] === TRIGGER;
		const isText = last?.["role"] === "user" && textOf(last).startsWith(OPENING) && kindOf(headers) === "compaction";
		if (!isOpaque && !isText) return undefined;
		return {
			words: undefined,
			by: compactedBy(headers),
			calls: new Set(callIds(items)),
			newestResult: resultIds(items).at(-1),
			// Codex writes each line before it sends it.
			newestTexts: [],
			keepsNewest: false,
			answer: (seed) => answerWith(body, seed, isOpaque),
		};
	},

	openSeeds(body) {
		let isFound = false;
		const input = itemsOf(body).map((item) => {
			const seed = item["type"] === "compaction" ? unpackSeed(item["encrypted_content"]) : undefined;
			if (seed === undefined) return item;
			isFound = true;
			return { type: "message", role: "user", content: [{ type: "input_text", text: seed }] };
		});
		return isFound ? { ...body, input } : undefined;
	},

	isAnswerEvent: isResponsesEvent,
	readEvent: readResponsesEvent,
	raiseUsage: raiseResponsesUsage,
};

/** Codex names the kind of a request: turn, prewarm, compaction. */
function kindOf(headers: IncomingHttpHeaders): string | undefined {
	return asName(metadataOf(headers)?.["request_kind"]);
}

/** The metadata of a compaction says whether the user or Codex itself started it. */
function compactedBy(headers: IncomingHttpHeaders): CompactionRequest["by"] {
	const trigger = asName(asObject(metadataOf(headers)?.["compaction"])?.["trigger"]);
	return trigger === undefined ? undefined : trigger === "manual" ? "user" : "agent";
}

function metadataOf(headers: IncomingHttpHeaders): JsonObject | undefined {
	return parseObject(oneHeader(headers, "x-codex-turn-metadata"));
}

/** Newer models get their tools as an item of the input. */
function toolsOf(body: JsonObject): string {
	return JSON.stringify([body["tools"], itemsOf(body).find(({ type }) => type === "additional_tools")]);
}

function textOf({ content }: JsonObject): string {
	if (typeof content === "string") return content;
	return asText(asObject(asList(content)[0])?.["text"]) ?? "";
}

function answerWith(body: JsonObject, seed: string, isOpaque: boolean): RenderedAnswer {
	const name = sha256(seed).slice(0, 24);
	const item = isOpaque
		? { type: "compaction", id: `cmp_${name}`, encrypted_content: packSeed(seed) }
		: textItem(`msg_${name}`, seed);
	return renderResponsesAnswer(body, { id: `resp_weft_${name}`, item });
}
