/** Whose part of a request's head changed: weft's own tools and words, or the agent's. */
import { sha256 } from "../base/hash/sha256.ts";
import { asName, asObject } from "../base/json/read.ts";
import { writeJson } from "../base/json/write.ts";
import { HISTORY_PREAMBLE, MCP_INSTRUCTIONS, TOOLS } from "./catalogue.ts";

/** Hashes of the two parts. A request that differs from the one before in one of them has another head. */
export interface HeadMarks {
	readonly weft: string;
	readonly agent: string;
}

const HASH_CHARS = 16;
const NAMES = new Set(TOOLS.map(({ name }) => name));
/** As they are inside a JSON text. */
const WORDS = [HISTORY_PREAMBLE, MCP_INSTRUCTIONS].map((words) => JSON.stringify(words.trim()).slice(1, -1));

/** `tools`: their definitions as they were sent; `system`: the text, or blocks with texts. */
export function headMarks(tools: readonly unknown[], system: unknown): HeadMarks {
	const { own = [], other = [] } = Object.groupBy(tools, (tool) => (isOwn(tool) ? "own" : "other"));
	// An agent may put the words of an MCP server into the description of a tool of its own.
	const text = writeJson([other, system ?? null]);
	const words = WORDS.filter((each) => text.includes(each));
	const rest = words.reduce((left, each) => left.replaceAll(each, ""), text);
	return { weft: mark(writeJson([own, words])), agent: mark(rest) };
}

/** `lcm_grep`, `mcp__plugin_weft_log__lcm_grep`, `weft_recall`, or Codex's namespace `mcp__weft`. */
function isOwn(tool: unknown): boolean {
	const { name, function: inner } = asObject(tool) ?? {};
	const called = asName(name) ?? asName(asObject(inner)?.["name"]) ?? "";
	return NAMES.has(called) || /(?:^|_)weft(?:_|$)/.test(called);
}

function mark(text: string): string {
	return sha256(text).slice(0, HASH_CHARS);
}
