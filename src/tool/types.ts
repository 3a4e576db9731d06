/**
 * The tools that a model may call, defined once for all agents: an agent registers them in its own way, passes the arguments
 * unchanged and shows the text. A tool never throws for a model's arguments; its answer says what is wrong.
 */
import type { AskSources } from "../ask/types.ts";
import type { SessionRef } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";
import type { Scope } from "../state/session/scope.ts";

export interface ToolContext {
	readonly history: History;
	/** The session in which the model works. */
	readonly session: SessionRef;
	/** The sessions that the tool may read. */
	readonly scope: Scope;
	/** seq of the session's current entry; by default its newest. */
	readonly leaf?: number | undefined;
	/** For ages such as "2h ago". */
	readonly now: number;
	readonly signal?: AbortSignal | undefined;
	/** Undefined: the caller has a history and no project. */
	readonly memory?: ProjectMemory | undefined;
	/** For `ask`. Undefined: as for the memory. */
	readonly knowledge?: Pick<AskSources, "state" | "memory" | "root"> | undefined;
	/** Renders the session's thread within a number of tokens. Undefined: as for the memory. */
	readonly renderThread?: ((maxTokens: number) => string) | undefined;
	/** Renders the moments, or a rewind that is not carried out. Undefined: files are shared with other people's sessions. */
	readonly renderRewind?: ((wanted: WantedRewind) => string) | undefined;
}

/** Without `to` and `before`: the list of moments. */
export interface WantedRewind {
	readonly file: string | undefined;
	readonly to: string | undefined;
	readonly before: string | undefined;
}

/** The memory of the project, as far as a tool asks it. */
export interface ProjectMemory {
	/** off: by the settings. empty: nothing was written to it yet. */
	readonly state: "off" | "empty" | "kept";
	/** Renders what bears on the words; undefined: nothing. */
	recall(words: string): Promise<string | undefined>;
}

/** Where to read on in a long content. */
export interface ExpandPage {
	readonly offset?: number | undefined;
	readonly maxTokens?: number | undefined;
}

export interface ToolAnswer {
	readonly text: string;
	/** For agents and tests; never shown to the model. */
	readonly details: Readonly<Record<string, unknown>>;
	readonly isError?: true | undefined;
}

/** Words of the tools' arguments, as the catalogue lists them and the tools read them. */
export const GREP_SCOPES = ["messages", "summaries", "all"] as const;
export const GREP_MODES = ["regex", "text"] as const;
export const HISTORY_SECTIONS = ["overview", "recent", "earliest", "by_id"] as const;
export const DEFAULT_GREP_RESULTS = 20;
export const DEFAULT_EXPAND_TOKENS = 4_000;
export const MAX_EXPAND_TOKENS = 8_000;

/** The code of a tool. */
export interface ToolRunner {
	run(context: ToolContext, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

export interface Tool extends ToolRunner {
	readonly name: string;
	/** For people. */
	readonly label: string;
	readonly description: string;
	/** One line for the list of tools in a system prompt. */
	readonly promptSnippet: string;
	/** When the model should use it, where the description does not say so. */
	readonly promptGuidelines: readonly string[];
	readonly parameters: ToolParameters;
	/** True: a call adds to the log. */
	readonly writes?: true | undefined;
}

/** JSON Schema, in the part of it that all providers understand. */
export interface ToolParameters {
	readonly type: "object";
	readonly required: readonly string[];
	readonly properties: Readonly<Record<string, ToolArgument>>;
}

interface ToolArgument {
	readonly type: "string" | "number" | "boolean";
	readonly description?: string;
	readonly enum?: readonly string[];
	readonly default?: string | number | boolean;
}

/** Agents and tests read the code; the model reads the text. */
export function refusal(code: string, text: string): ToolAnswer {
	return { text, details: { error: { code, message: text } }, isError: true };
}

/** Refuses arguments that a tool does not have: without the word, a model takes the answer for that of its narrowed question. */
export function unknownArguments(
	args: Readonly<Record<string, unknown>>,
	known: readonly string[],
): ToolAnswer | undefined {
	const unknown = Object.keys(args).filter((name) => !known.includes(name));
	if (unknown.length === 0) return undefined;
	const names = unknown.slice(0, 5).map((name) => `'${name.slice(0, 40)}'`);
	return refusal("bad-argument", `Unknown argument ${names.join(", ")}. The arguments are ${known.join(", ")}.`);
}

/** Reads arguments as models write them: a number may be a text or out of bounds, and the nearest sensible value is used. */
export function textArgument(value: unknown): string {
	return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

export function numberArgument(value: unknown, fallback: number, min: number, max: number): number {
	const given = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
	if (typeof given !== "number" || Number.isNaN(given)) return fallback;
	return Math.min(max, Math.max(min, Math.trunc(given)));
}

export function wordArgument<const Word extends string>(value: unknown, words: readonly Word[], fallback: Word): Word {
	return words.find((word) => word === value) ?? fallback;
}
