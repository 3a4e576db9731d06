/**
 * Output that is too long, cut in the shape in which its tool gave it: Claude Code ignores another one. The original goes to the
 * log first. Reads are bounded before they run; our own tools answer in pages.
 */

import { asObject, asText } from "../../base/json/read.ts";
import { bound } from "../../guard/bound.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { limitToolResult } from "../../state/session/tool-result-limits.ts";
import type { HookEvent } from "./hook-event.ts";

export interface Fitted {
	/** In the tool's own shape. */
	readonly response: unknown;
	/** What the model reads. */
	readonly text: string;
	/** Of the whole text. */
	readonly hash: string;
}

/** Undefined: it goes in as it is. */
export function fitOutput({ tool, input, response }: HookEvent, keep: (bytes: Buffer) => string): Fitted | undefined {
	const place = findText(tool, response);
	if (!place?.text.isWellFormed()) return undefined;
	const command = asText(input["command"]);
	const shorter = limitToolResult(place.text, { class: toolClass(tool), command })?.text;
	const bounded = bound(shorter ?? place.text);
	if (shorter === undefined && !bounded.cut) return undefined;
	const hash = keep(Buffer.from(place.text, "utf8"));
	return { response: place.put(bounded.text), text: bounded.text, hash };
}

interface TextPlace {
	readonly text: string;
	put(text: string): unknown;
}

/** Which field of a tool's answer is its output. */
const FIELDS: Readonly<Record<string, string>> = { Bash: "stdout", Grep: "content", WebFetch: "result" };

function findText(tool: string, response: unknown): TextPlace | undefined {
	const field = FIELDS[tool];
	const object = asObject(response);
	if (field !== undefined && object) {
		const text = asText(object[field]);
		return text === undefined ? undefined : { text, put: (next) => ({ ...object, [field]: next }) };
	}
	return tool.startsWith("mcp__") && !tool.includes("weft") ? findInBlocks(response) : undefined;
}

/** Of another MCP server: a text, or blocks of which one is. */
function findInBlocks(response: unknown): TextPlace | undefined {
	if (typeof response === "string") return { text: response, put: (next) => next };
	if (!Array.isArray(response)) return undefined;
	const texts = response.filter((block) => asObject(block)?.["type"] === "text");
	const text = texts.length === 1 ? asText(asObject(texts[0])?.["text"]) : undefined;
	if (text === undefined) return undefined;
	return { text, put: (next) => response.map((block) => (block === texts[0] ? { ...block, text: next } : block)) };
}
