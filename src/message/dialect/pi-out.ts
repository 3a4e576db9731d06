/**
 * Pi's messages in the form of a provider, byte for byte as Pi itself sends them, cache marks aside. Not covered: what
 * Pi's list of models switches on for single providers (thinking as text, an empty `reasoning_content`, answers put
 * between results and the user).
 */

import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";
import { writeJson } from "../../base/json/write.ts";
import { blocksOf } from "./content.ts";
import { PI_MISSING_RESULT } from "./form.ts";

/** The model that a request is for. Thinking goes only to the model that it came from. */
export interface TargetModel {
	readonly api: string;
	readonly provider: string;
	readonly model: string;
	/** False: it takes no pictures, and a few words stand for each. */
	readonly hasImages?: boolean | undefined;
}

/** `messages`: of the roles user, assistant and toolResult; failed answers among them. No target: that of each answer. */
export function piToAnthropic(messages: readonly JsonObject[], target?: TargetModel): JsonObject[] {
	const rename = (id: string) => id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
	const sent: { role: string; content: unknown }[] = [];
	let results: JsonObject[] = [];
	for (const { role, ...message } of fitToModel(messages, target, rename)) {
		if (role === "toolResult") {
			// Results that follow each other are one message.
			if (results.length === 0) sent.push({ role: "user", content: results });
			results.push(anthropicResult(message));
			continue;
		}
		results = [];
		const { content } = message;
		if (typeof content === "string" && role === "user") {
			if (speaks(content)) sent.push({ role, content: clean(content) });
			continue;
		}
		const blocks = blocksOf(content).flatMap(anthropicBlock);
		// The user's texts are looked at after halves of characters were taken out, those of answers before.
		const said = role === "user" ? blocks.filter(({ type, text }) => type !== "text" || speaks(text)) : blocks;
		if (said.length > 0) sent.push({ role: String(role), content: said });
	}
	return sent;
}

export function piToOpenai(messages: readonly JsonObject[], target?: TargetModel): JsonObject[] {
	const sent: JsonObject[] = [];
	let pictures: JsonObject[] = [];
	const showPictures = (): void => {
		const text = "Attached image(s) from tool result:";
		if (pictures.length > 0) sent.push({ role: "user", content: [{ type: "text", text }, ...pictures] });
		pictures = [];
	};
	for (const message of fitToModel(messages, target, (id) => openaiId(id, target?.provider))) {
		const blocks = blocksOf(message["content"]);
		if (message["role"] === "toolResult") {
			const images = blocks.filter(isImage);
			const text = textsOf(blocks).join("\n") || (images.length > 0 ? "(see attached image)" : "(no tool output)");
			sent.push({ role: "tool", content: clean(text), tool_call_id: message["toolCallId"] });
			// A result has no place for pictures: they follow in the user's name.
			pictures.push(...images.map(openaiImage));
			continue;
		}
		showPictures();
		sent.push(...(message["role"] === "assistant" ? openaiAnswer(blocks) : openaiUser(message["content"])));
	}
	showPictures();
	return sent;
}

function anthropicResult({ toolCallId, content, isError }: JsonObject): JsonObject {
	const blocks = blocksOf(content);
	const hasText = blocks.some(({ type }) => type === "text");
	const shown = blocks.some(isImage)
		? [...(hasText ? [] : [{ type: "text", text: "(see attached image)" }]), ...blocks.flatMap(resultBlock)]
		: clean(textsOf(blocks).join("\n"));
	return { type: "tool_result", tool_use_id: toolCallId, content: shown, is_error: isError };
}

function resultBlock(block: JsonObject): JsonObject[] {
	return block["type"] === "text" ? [{ type: "text", text: clean(block["text"]) }] : anthropicBlock(block);
}

function anthropicBlock(block: JsonObject): JsonObject[] {
	const { type, redacted, thinkingSignature: signature } = block;
	switch (type) {
		case "text":
			return speaks(block["text"]) ? [{ type, text: clean(block["text"]) }] : [];
		case "image":
			return [{ type, source: { type: "base64", media_type: block["mimeType"], data: block["data"] } }];
		case "thinking": {
			if (redacted) return [{ type: "redacted_thinking", data: signature }];
			const thinking = clean(block["thinking"]);
			if (speaks(signature)) return [{ type, thinking, signature }];
			return speaks(block["thinking"]) ? [{ type: "text", text: thinking }] : [];
		}
		case "toolCall":
			return [{ type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] ?? {} }];
		default:
			return [];
	}
}

function openaiUser(content: unknown): JsonObject[] {
	if (typeof content === "string") return [{ role: "user", content: clean(content) }];
	const parts = blocksOf(content).flatMap((block) => {
		if (isImage(block)) return [openaiImage(block)];
		return asName(block["text"]) === undefined ? [] : [{ type: "text", text: clean(block["text"]) }];
	});
	return parts.length > 0 ? [{ role: "user", content: parts }] : [];
}

function openaiAnswer(blocks: readonly JsonObject[]): JsonObject[] {
	const text = textsOf(blocks).filter(speaks).map(clean).join("");
	const thoughts = blocks.filter(({ type, thinking }) => type === "thinking" && speaks(thinking));
	const calls = blocks.filter(({ type }) => type === "toolCall");
	if (text === "" && calls.length === 0) return [];
	const details = reasoningDetails(blocks);
	// What Pi keeps as the signature of such thinking is the name of the field that it came in.
	const field = asText(thoughts[0]?.["thinkingSignature"]) ?? "";
	const isField = !details && /^reasoning(?:_content|_text)?$/.test(field);
	return [
		{
			role: "assistant",
			content: text === "" ? null : text,
			...(isField ? { [field]: thoughts.map(({ thinking }) => thinking).join("\n") } : {}),
			...(calls.length > 0 ? { tool_calls: calls.map(openaiCall) } : {}),
			...(details ? { reasoning_details: details } : {}),
		},
	];
}

function openaiCall({ id, name, arguments: input }: JsonObject): JsonObject {
	return { id, type: "function", function: { name, arguments: writeJson(input ?? {}) } };
}

function openaiImage({ mimeType, data }: JsonObject): JsonObject {
	return { type: "image_url", image_url: { url: `data:${String(mimeType)};base64,${String(data)}` } };
}

/** Where a server has a list of details instead of a field, Pi keeps that list as the signature. */
function reasoningDetails(blocks: readonly JsonObject[]): readonly unknown[] | undefined {
	for (const { type, thinkingSignature } of blocks) {
		const list = type === "thinking" ? asList(parseJson(thinkingSignature)) : [];
		if (list.length > 0 && list.every(isDetail)) return list;
	}
	const signed = blocks.flatMap(({ type, thoughtSignature }) =>
		type === "toolCall" ? [parseJson(thoughtSignature)] : [],
	);
	const old = signed.filter((detail) => {
		const { type, id, data } = asObject(detail) ?? {};
		return isDetail(detail) && type === "reasoning.encrypted" && asName(id) !== undefined && asName(data) !== undefined;
	});
	return old.length > 0 ? old : undefined;
}

function isDetail(value: unknown): boolean {
	const { type, summary, data, text } = asObject(value) ?? {};
	const said = { "reasoning.summary": summary, "reasoning.encrypted": data, "reasoning.text": text };
	return Object.entries(said).some(([name, each]) => type === name && typeof each === "string");
}

function parseJson(text: unknown): unknown {
	try {
		return JSON.parse(asText(text) ?? "null");
	} catch {
		return undefined;
	}
}

/** Chat completions take ids of 40 characters; those of OpenAI's other interface are two ids in one, and far longer. */
function openaiId(id: string, provider: string | undefined): string {
	if (!id.includes("|")) return provider === "openai" ? id.slice(0, 40) : id;
	const [call = "", item = ""] = [id.slice(0, id.indexOf("|")), id.slice(id.indexOf("|") + 1)].map((part) =>
		part.replace(/[^a-zA-Z0-9_-]/g, "_"),
	);
	const both = item === "" ? call : `${call}_${item}`;
	if (both.length <= 40) return both;
	const hash = shortHash(id).slice(0, 8);
	return `${call.slice(0, Math.max(1, 40 - hash.length - 1))}_${hash}`;
}

/** Pi's own: another hash would be another id. */
function shortHash(text: string): string {
	let [one, two] = [0xdeadbeef, 0x41c6ce57];
	for (let at = 0; at < text.length; at++) {
		one = Math.imul(one ^ text.charCodeAt(at), 2654435761);
		two = Math.imul(two ^ text.charCodeAt(at), 1597334677);
	}
	one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
	two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
	return (two >>> 0).toString(36) + (one >>> 0).toString(36);
}

/** What all providers need: no thinking of another model, ids that they take, a result for every call. */
function fitToModel(
	messages: readonly JsonObject[],
	target: TargetModel | undefined,
	rename: (id: string) => string,
): JsonObject[] {
	const renamed = new Map<unknown, string>();
	const fitted = messages.map((message): JsonObject => {
		const { role, content } = message;
		if (role === "assistant") return { ...message, content: fitAnswer(message, target, rename, renamed) };
		const shown = target?.hasImages === false ? withoutImages(content, role === "toolResult") : content;
		if (role !== "toolResult") return { ...message, content: shown };
		return { ...message, content: shown, toolCallId: renamed.get(message["toolCallId"]) ?? message["toolCallId"] };
	});
	return withAllResults(fitted);
}

function fitAnswer(
	message: JsonObject,
	target: TargetModel | undefined,
	rename: (id: string) => string,
	renamed: Map<unknown, string>,
): JsonObject[] {
	const { api, provider, model } = message;
	const isOwn = !target || (api === target.api && provider === target.provider && model === target.model);
	return blocksOf(message["content"]).flatMap((block): JsonObject[] => {
		const { type, thinking } = block;
		if (isOwn)
			return type !== "thinking" || block["redacted"] || block["thinkingSignature"] || speaks(thinking) ? [block] : [];
		if (type === "thinking") return !block["redacted"] && speaks(thinking) ? [{ type: "text", text: thinking }] : [];
		if (type !== "toolCall") return [block];
		const { thoughtSignature: _, ...call } = block;
		const id = asText(block["id"]) ?? "";
		const name = rename(id);
		if (name !== id) renamed.set(id, name);
		return [{ ...call, id: name }];
	});
}

/** Failed answers leave here: what waited for a result when one came gets no other. */
function withAllResults(messages: readonly JsonObject[]): JsonObject[] {
	const all: JsonObject[] = [];
	let waiting: readonly JsonObject[] = [];
	let answered = new Set<unknown>();
	const close = (): void => {
		for (const { id, name } of waiting) {
			if (answered.has(id)) continue;
			const content = [{ type: "text", text: PI_MISSING_RESULT }];
			all.push({ role: "toolResult", toolCallId: id, toolName: name, content, isError: true });
		}
		waiting = [];
		answered = new Set();
	};
	for (const message of messages) {
		if (message["role"] === "toolResult") answered.add(message["toolCallId"]);
		else close();
		if (message["role"] === "assistant") {
			if (message["stopReason"] === "error" || message["stopReason"] === "aborted") continue;
			waiting = blocksOf(message["content"]).filter(({ type }) => type === "toolCall");
			answered = new Set();
		}
		all.push(message);
	}
	close();
	return all;
}

function withoutImages(content: unknown, isResult: boolean): unknown {
	if (!Array.isArray(content)) return content;
	const text = `(${isResult ? "tool image" : "image"} omitted: model does not support images)`;
	const shown: JsonObject[] = [];
	for (const block of blocksOf(content)) {
		if (!isImage(block)) shown.push(block);
		else if (shown.at(-1)?.["text"] !== text) shown.push({ type: "text", text });
	}
	return shown;
}

function isImage({ type }: JsonObject): boolean {
	return type === "image";
}

function textsOf(blocks: readonly JsonObject[]): string[] {
	return blocks.flatMap(({ type, text }) => (type === "text" ? [asText(text) ?? ""] : []));
}

function speaks(text: unknown): boolean {
	return typeof text === "string" && text.trim() !== "";
}

/** Providers refuse half of a character. */
function clean(text: unknown): string {
	return (asText(text) ?? "").replace(/\p{Cs}/gu, "");
}
