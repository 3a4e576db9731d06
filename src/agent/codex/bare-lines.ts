/**
 * The oldest rollouts: the first line is the payload of today's `session_meta`, each other line a bare item without a time.
 * We wrap them into today's lines.
 */
import { asList, asName, asObject, asText, type JsonObject } from "../../base/json/read.ts";

export function isBareStart(line: JsonObject): boolean {
	const isNamed = asName(line["id"]) !== undefined && asName(line["timestamp"]) !== undefined;
	return isNamed && line["type"] === undefined && "instructions" in line;
}

/** `meta`: the first line, with the folder. */
export function bareLine(line: JsonObject, meta: JsonObject): JsonObject {
	const { timestamp } = meta;
	if (isBareStart(line)) return { type: "session_meta", timestamp, payload: meta };
	const isItem = asName(line["type"]) !== undefined;
	return isItem
		? { type: "response_item", timestamp, payload: line }
		: { ...line, type: line["record_type"], timestamp };
}

/** Codex's first message to the model names the folder. */
export function cwdOfBare(lines: readonly (JsonObject | undefined)[]): string | undefined {
	for (const line of lines) {
		for (const block of asList(line?.["content"])) {
			const text = asText(asObject(block)?.["text"]) ?? "";
			const found = /^<environment_context>[\s\S]*?(?:<cwd>|Current working directory: )([^<\n]+)/.exec(text)?.[1];
			if (found !== undefined) return found.trim();
		}
	}
	return undefined;
}
