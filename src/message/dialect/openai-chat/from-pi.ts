/** Pi's messages for chat completions, as Pi itself sends them; the limits are those of `../anthropic/from-pi.ts`. */
import { asList, asName, asObject, asText, type JsonObject } from "../../../base/json/read.ts";
import { writeJson } from "../../../base/json/write.ts";
import { blocksOf } from "../content.ts";
import { clean, fitToModel, isImage, speaks, type TargetModel, textsOf } from "../pi/fit-to-model.ts";

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
	// As the signature of such thinking Pi keeps the name of the field that it came in.
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

/** For a server with a list of details instead of a field, Pi keeps that list as the signature. */
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

/** Chat completions take ids of 40 characters; ids of the Responses API are two ids in one, and far longer. */
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

/** Pi's own hash: another one would give other ids. */
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
