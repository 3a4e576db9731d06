/** Pi's messages as one model can take them: no thinking of another model, ids that the provider takes, a result for every call. */
import { asText, type JsonObject } from "../../../base/json/read.ts";
import { blocksOf } from "../content.ts";
import { PI_MISSING_RESULT } from "../form.ts";

/** The model that a request is for. Thinking goes only to the model that it came from. */
export interface TargetModel {
	readonly api: string;
	readonly provider: string;
	readonly model: string;
	/** False: it takes no pictures, and a few words replace each. */
	readonly hasImages?: boolean | undefined;
}

export function fitToModel(
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

/** Removes failed answers, and adds a result for every call without one. A failed answer ends the wait for results before it. */
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

export function isImage({ type }: JsonObject): boolean {
	return type === "image";
}

export function textsOf(blocks: readonly JsonObject[]): string[] {
	return blocks.flatMap(({ type, text }) => (type === "text" ? [asText(text) ?? ""] : []));
}

export function speaks(text: unknown): boolean {
	return typeof text === "string" && text.trim() !== "";
}

/** Providers refuse half of a character. */
export function clean(text: unknown): string {
	return (asText(text) ?? "").replace(/\p{Cs}/gu, "");
}
