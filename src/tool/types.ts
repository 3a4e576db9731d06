/**
 * The tools that a model may call, defined once for all agents: an agent registers them in its own way, passes the arguments
 * unchanged and shows the text. A tool never throws for a model's arguments; its answer says what is wrong.
 */
import Type, { type TSchema, type TUnsafe } from "typebox";
import type { SessionRef } from "../log/session-ref.ts";
import type { History } from "../state/history/history.ts";

export interface ToolContext {
	readonly history: History;
	/** The session in which the model works. */
	readonly session: SessionRef;
	/** seq of the session's current entry; by default its newest. */
	readonly leaf?: number | undefined;
	/** For ages such as "2h ago". */
	readonly now: number;
	readonly signal?: AbortSignal | undefined;
	/** Renders the session's thread within a number of tokens. Undefined: the caller has a history and no project. */
	readonly renderThread?: ((maxTokens: number) => string) | undefined;
}

export interface ToolAnswer {
	readonly text: string;
	/** For agents and tests; never shown to the model. */
	readonly details: Readonly<Record<string, unknown>>;
	readonly isError?: true | undefined;
}

export interface Tool {
	readonly name: string;
	/** For people. */
	readonly label: string;
	readonly description: string;
	/** One line for the list of tools in a system prompt. */
	readonly promptSnippet: string;
	/** When the model should use it. */
	readonly promptGuidelines: readonly string[];
	readonly parameters: TSchema;
	run(context: ToolContext, args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>;
}

/** Agents and tests read the code; the model reads the text. */
export function refusal(code: string, text: string): ToolAnswer {
	return { text, details: { error: { code, message: text } }, isError: true };
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

/** A plain string enum, which all providers understand. */
export function enumeration<const Word extends string>(
	words: readonly Word[],
	options: { readonly description: string; readonly default?: Word },
): TUnsafe<Word> {
	return Type.Unsafe<Word>({ type: "string", enum: [...words], ...options });
}
