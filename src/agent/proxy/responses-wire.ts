/**
 * OpenAI's Responses API, as Codex speaks it. Codex compacts in two ways: with a provider of one's own it asks for a text; with
 * the built-in one it asks for an opaque item, sends it back ever after, and we put the seed in its place upstream.
 */
import type { IncomingHttpHeaders } from "node:http";
import { sha256 } from "../../base/hash/sha256.ts";
import { asList, asName, asNumber, asObject, asText, type JsonObject, parseObject } from "../../base/json/read.ts";
import { packSeed, SEED_MARK, unpackSeed } from "../live/codex-seed.ts";
import { oneHeader, sse } from "./messages-wire.ts";
import type { HostCompaction, TokenCounts, Told, Wire } from "./wire.ts";

const OPENING = "You are performing a CONTEXT CHECKPOINT COMPACTION";
const TRIGGER = "compaction_trigger";

export const responsesWire: Wire = {
	hasOwnManifests: false,
	isCall: (method, path) => method === "POST" && /\/responses(?:\?|$)/.test(path),

	mayLeaveEarly: (headers) => kindOf(headers) === "turn",

	caller(headers) {
		const root = oneHeader(headers, "session-id") ?? oneHeader(headers, "session_id");
		const id = oneHeader(headers, "thread-id") ?? root;
		if (id === undefined) return undefined;
		const version = /codex[\w-]*\/(\d\S*)/i.exec(headers["user-agent"] ?? "")?.[1];
		return { agent: "codex", id, session: root === undefined || root === id ? id : `${root}/${id}`, version };
	},

	signs: [OPENING, TRIGGER, SEED_MARK].map((sign) => Buffer.from(sign)),

	look: (body, headers) => ({
		isTurn: kindOf(headers) === "turn",
		model: asName(body["model"]),
		namesTools: toolsOf(body).includes("lcm_expand"),
		head: [body["tools"], body["instructions"]],
		messages: () => itemsOf(body),
		newestResult: idsOf(itemsOf(body), "_output").at(-1),
	}),

	compaction(body, headers): HostCompaction | undefined {
		const items = itemsOf(body);
		const last = items.at(-1);
		const isOpaque = last?.["type"] === TRIGGER;
		const isText = last?.["role"] === "user" && textOf(last).startsWith(OPENING) && kindOf(headers) === "compaction";
		if (!isOpaque && !isText) return undefined;
		return {
			words: undefined,
			calls: new Set(idsOf(items, "_call")),
			newestResult: idsOf(items, "_output").at(-1),
			keepsNewest: false,
			answer: (seed) => answerWith(body, seed, isOpaque),
		};
	},

	opened(body) {
		let isFound = false;
		const input = itemsOf(body).map((item) => {
			const seed = item["type"] === "compaction" ? unpackSeed(item["encrypted_content"]) : undefined;
			if (seed === undefined) return item;
			isFound = true;
			return { type: "message", role: "user", content: [{ type: "input_text", text: seed }] };
		});
		return isFound ? { ...body, input } : undefined;
	},

	isTelling: (event) => event === "response.completed" || event === "response.incomplete",

	told(data): Told | undefined {
		const response = data["object"] === "response" ? data : asObject(data["response"]);
		const usage = asObject(response?.["usage"]);
		if (!response || !usage) return undefined;
		return { answer: asName(response["id"]), model: asName(response["model"]), usage: countsOf(usage), isFinal: true };
	},

	raised(data, tokens) {
		const response = asObject(data["response"]) ?? {};
		const usage = asObject(response["usage"]) ?? {};
		const details = asObject(usage["input_tokens_details"]);
		const more = (value: unknown) => (asNumber(value) ?? 0) + tokens;
		const raised = {
			...usage,
			input_tokens: more(usage["input_tokens"]),
			total_tokens: more(usage["total_tokens"]),
			input_tokens_details: { ...details, cached_tokens: more(details?.["cached_tokens"]) },
		};
		return { ...data, response: { ...response, usage: raised } };
	},
};

/** What Codex says of a request: turn, prewarm, compaction. */
function kindOf(headers: IncomingHttpHeaders): string | undefined {
	return asName(parseObject(oneHeader(headers, "x-codex-turn-metadata"))?.["request_kind"]);
}

/** Newer models get their tools as an item of the input. */
function toolsOf(body: JsonObject): string {
	return JSON.stringify([body["tools"], itemsOf(body).find(({ type }) => type === "additional_tools")]);
}

function itemsOf(body: JsonObject): readonly JsonObject[] {
	return asList(body["input"]).map((item) => asObject(item) ?? {});
}

function idsOf(items: readonly JsonObject[], end: string): string[] {
	return items.flatMap((item) => ((asText(item["type"]) ?? "").endsWith(end) ? (asName(item["call_id"]) ?? []) : []));
}

function textOf({ content }: JsonObject): string {
	if (typeof content === "string") return content;
	return asText(asObject(asList(content)[0])?.["text"]) ?? "";
}

function countsOf(usage: JsonObject): TokenCounts {
	const cacheRead = asNumber(asObject(usage["input_tokens_details"])?.["cached_tokens"]) ?? 0;
	const input = asNumber(usage["input_tokens"]) ?? 0;
	return {
		input: Math.max(0, input - cacheRead),
		cacheRead,
		cacheWrite: 0,
		output: asNumber(usage["output_tokens"]) ?? 0,
	};
}

function answerWith(
	body: JsonObject,
	seed: string,
	isOpaque: boolean,
): { readonly type: string; readonly body: string } {
	const name = sha256(seed).slice(0, 24);
	const text = { type: "output_text", text: seed, annotations: [] };
	const item: JsonObject = isOpaque
		? { type: "compaction", id: `cmp_${name}`, encrypted_content: packSeed(seed) }
		: { type: "message", id: `msg_${name}`, role: "assistant", status: "completed", content: [text] };
	const usage = {
		input_tokens: 1,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens: 1,
		output_tokens_details: { reasoning_tokens: 0 },
		total_tokens: 2,
	};
	const response = { id: `resp_weft_${name}`, object: "response", model: body["model"], output: [] };
	if (body["stream"] !== true) {
		return {
			type: "application/json",
			body: JSON.stringify({ ...response, status: "completed", output: [item], usage }),
		};
	}
	const at = { item_id: item["id"], output_index: 0, content_index: 0 };
	const empty = isOpaque ? item : { ...item, status: "in_progress", content: [] };
	const parts = isOpaque
		? []
		: [
				{ type: "response.content_part.added", ...at, part: { ...text, text: "" } },
				{ type: "response.output_text.delta", ...at, delta: seed },
				{ type: "response.output_text.done", ...at, text: seed },
			];
	const events: JsonObject[] = [
		{ type: "response.created", response: { ...response, status: "in_progress" } },
		{ type: "response.output_item.added", output_index: 0, item: empty },
		...parts,
		{ type: "response.output_item.done", output_index: 0, item },
		{ type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
	];
	const numbered = events.map((event, sequence_number) => sse({ ...event, sequence_number }));
	return { type: "text/event-stream", body: numbered.join("") };
}
