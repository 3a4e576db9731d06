/**
 * May this request leave? The rules of Anthropic's and OpenAI's formats, and Pi's, as one function that hosts and tests
 * share. A violation is a bug of ours: it is logged, and the host's own list goes out unchanged.
 */
import { asObject } from "../json/read.ts";
import { checkOriginals } from "./check-originals.ts";
import { checkPairs } from "./check-pairs.ts";
import type { FormatName, WireMessage } from "./form/format.ts";
import { formatOf } from "./form/formats.ts";
import { weighWire } from "./weigh-wire.ts";

export type Rule =
	| "no-messages"
	| "first-not-user"
	| "ends-with-assistant"
	| "system-text"
	| "unknown-role"
	| "empty-content"
	| "call-without-id"
	| "call-without-result"
	| "result-without-call"
	| "duplicate-call-id"
	| "duplicate-result"
	| "result-not-first"
	| "thinking-unsigned"
	| "thinking-identity"
	| "thinking-alone"
	| "assistant-changed"
	| "open-turn-changed"
	| "over-budget";

export interface Violation {
	readonly rule: Rule;
	/** Index of the message. */
	readonly at: number;
	readonly message: string;
}

export interface CheckOptions {
	/** The host's own list: with it, assistant messages must be whole and the open turn untouched. */
	readonly original?: readonly unknown[];
	/** Messages at the end that are ours and not the host's (what is said last). */
	readonly trailing?: number;
	/** Tokens that the messages may take. */
	readonly budget?: number;
}

export function checkRequest(
	messages: readonly unknown[],
	format: FormatName,
	options: CheckOptions = {},
): readonly Violation[] {
	const views = readRequest(messages, format);
	if (views.length === 0) return [{ rule: "no-messages", at: 0, message: "A request must have a message." }];
	return [
		...checkEnds(views, format),
		...views.flatMap((view, at) => checkOne(view, views[at + 1], format)),
		...checkPairs(views, format),
		...(options.original ? checkOriginals(views, readRequest(options.original, format), options.trailing ?? 0) : []),
		...checkBudget(messages, options.budget),
	].sort((a, b) => a.at - b.at);
}

/** A message with its place; those that the host does not send are left out. */
export interface Placed extends WireMessage {
	readonly at: number;
}

export function readRequest(messages: readonly unknown[], format: FormatName): Placed[] {
	const { read } = formatOf(format);
	return messages.map((message, at) => ({ ...read(asObject(message) ?? {}), at })).filter(({ unsent }) => !unsent);
}

function checkEnds(views: readonly Placed[], format: FormatName): Violation[] {
	// OpenAI's system text stands before the messages, in the same list.
	const spoken = format === "openai" ? views.slice(Math.max(0, firstSpoken(views))) : views;
	const [first, last] = [spoken[0], spoken.at(-1)];
	const violations: Violation[] = [];
	if (first && first.role !== "user") {
		violations.push({
			rule: "first-not-user",
			at: first.at,
			message: `The first message is of the role '${first.roleName}'.`,
		});
	}
	if (last?.role === "assistant") {
		violations.push({ rule: "ends-with-assistant", at: last.at, message: "The last message is the assistant's own." });
	}
	const system = spoken.filter(({ role }) => role === "system");
	for (const { at } of system) {
		violations.push({ rule: "system-text", at, message: "System text must not stand among the messages." });
	}
	return violations;
}

function firstSpoken(views: readonly Placed[]): number {
	return views.findIndex(({ role }) => role !== "system");
}

function checkOne(view: Placed, next: Placed | undefined, format: FormatName): Violation[] {
	const { at, role, roleName, texts, thinking, calls, results, others } = view;
	const violations: Violation[] = [];
	const add = (rule: Rule, message: string): void => {
		violations.push({ rule, at, message });
	};
	if (role === "other") add("unknown-role", `No provider knows the role '${roleName}'.`);
	const spoken = texts.some((text) => text.trim() !== "") || others > 0 || calls.length > 0 || results.length > 0;
	if (!spoken && thinking.length === 0) add("empty-content", "The message is empty.");
	else if (format === "anthropic" && texts.some((text) => text.trim() === "")) add("empty-content", "A text is blank.");
	// Hosts write one answer as several messages: the rest of it may follow.
	if (thinking.length > 0 && !spoken && next?.role !== "assistant")
		add("thinking-alone", "Thinking stands without the answer that it belongs to.");
	if (format === "anthropic" && thinking.some(({ signed }) => !signed)) {
		add("thinking-unsigned", "Thinking has no signature; the provider takes none without.");
	}
	if (!view.identified && thinking.some(({ signed }) => signed)) {
		add("thinking-identity", "Signed thinking needs the api, provider and model that it came from.");
	}
	return violations;
}

function checkBudget(messages: readonly unknown[], budget: number | undefined): Violation[] {
	if (budget === undefined) return [];
	const tokens = messages.reduce<number>((sum, message) => sum + weighWire(message), 0);
	if (tokens <= budget) return [];
	const message = `The messages take about ${tokens} tokens; ${budget} are allowed.`;
	return [{ rule: "over-budget", at: messages.length - 1, message }];
}
