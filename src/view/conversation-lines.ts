/** A conversation as lines for a terminal. */

import { EngineError } from "../base/error/engine-error.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutToWidth } from "../base/text/cut.ts";
import { oneLine, printable } from "../base/text/printable.ts";
import { formatMinute } from "../base/text/time.ts";
import { wrapWords } from "../base/text/wrap.ts";
import type { SessionState } from "../state/session/session-state.ts";
import { missWords } from "./cache-miss.ts";
import { stayWords } from "./context-stay.ts";
import type {
	ConversationBlock,
	ConversationItem,
	ConversationMessage,
	ConversationOutline,
	ConversationRule,
	SessionConversation,
} from "./conversation.ts";
import { speakerName } from "./speaker-name.ts";
import type { TextStyle } from "./text-style.ts";

/** The JSON of `weft read`. */
export interface ConversationPart extends Omit<ConversationOutline, "chunkItems"> {
	readonly shown: readonly ConversationItem[];
	/** The handle of the next message; null: this is the end. */
	readonly next: string | null;
}

interface ReadingOptions {
	readonly from: "start" | "last prompt" | { readonly prompt: number } | { readonly at: string };
	readonly limit: number;
}

export function readConversation(
	conversation: SessionConversation,
	state: SessionState,
	{ from, limit }: ReadingOptions,
): ConversationPart {
	const { chunkItems, ...outline } = conversation.outline(state);
	const first = firstPlace(conversation, outline, from);
	const shown: ConversationItem[] = [];
	let next: string | null = null;
	for (let chunk = Math.floor(first / chunkItems); chunk * chunkItems < outline.items && next === null; chunk++) {
		for (const item of conversation.chunk(chunk).items) {
			if (item.place < first) continue;
			if (shown.length < limit) shown.push(item);
			else next ??= item.handle;
		}
	}
	return { ...outline, shown, next };
}

function firstPlace(
	conversation: SessionConversation,
	{ prompts }: Pick<ConversationOutline, "prompts">,
	from: ReadingOptions["from"],
): number {
	if (from === "start") return 0;
	if (from === "last prompt") return prompts.at(-1)?.place ?? 0;
	if ("at" in from) return conversation.place(from.at).place;
	const prompt = prompts[from.prompt - 1];
	if (!prompt)
		throw new EngineError(
			"not-found",
			`There is no prompt ${from.prompt}: the session has ${plural(prompts.length, "prompt")}.`,
		);
	return prompt.place;
}

const MAX_FOLDED_COLUMNS = 120;
export function* renderConversation(
	{ shown, prompts, title }: ConversationPart,
	style: TextStyle,
	{ isFull }: { readonly isFull: boolean },
): Generator<string> {
	if (title) yield* painted("bold", oneLine(title), style);
	const numbers = new Map(prompts.map(({ place }, at) => [place, at + 1]));
	let last: ConversationItem | undefined;
	for (const item of shown) {
		if (item.kind === "message") yield* renderMessage(item, { style, isFull, number: numbers.get(item.place), last });
		else yield* renderRule(item, { style, isFull });
		last = item;
	}
	if (shown.length === 0) yield "Nothing was said in this session yet.";
}

interface LineOptions {
	readonly style: TextStyle;
	readonly isFull: boolean;
}

function* renderMessage(
	item: ConversationMessage,
	options: LineOptions & { readonly number: number | undefined; readonly last: ConversationItem | undefined },
): Generator<string> {
	const { style, number, last } = options;
	const { request } = item;
	const follows = last?.kind === "message" && last.who === item.who && !request && item.who !== "user";
	if (!follows) {
		const facts = request
			? [`request ${request.n}`, request.miss ? missWords(request.miss) : ""].filter(Boolean).join(", ")
			: number === undefined
				? ""
				: `prompt ${number}`;
		yield "";
		yield [
			style.paint("bold", speakerName(item)),
			facts,
			style.paint("dim", `${formatMinute(item.ts)}  ${item.handle}`),
		]
			.filter(Boolean)
			.join("  ");
		yield* painted("dim", stayWords(item.stay), style);
	}
	for (const block of item.blocks) yield* renderBlock(block, item, options);
}

function* renderBlock(block: ConversationBlock, item: ConversationMessage, options: LineOptions): Generator<string> {
	const { style, isFull } = options;
	switch (block.kind) {
		case "text":
			if (item.who === "program" || item.who === "other") yield* folded(block.text, item.handle, options);
			else for (const line of printable(block.text).split("\n")) yield* wrapWords(line, style.columns, "");
			return;
		case "thinking":
			if (isFull) yield* indented(block.text, style);
			else yield style.paint("dim", `  [thinking, ${plural(block.total, "character")}]`);
			return;
		case "image":
			yield style.paint("dim", "  [picture]");
			return;
		case "other":
			yield* folded(`${block.name} ${block.text}`, item.handle, options);
			return;
		case "call": {
			const sizes = block.diffs.map(({ added, removed }) => `+${added} −${removed ?? "?"}`).join(" ");
			const end = [sizes, block.result?.isError ? "failed" : "", block.child ? `sub-agent ${block.child.session}` : ""];
			const line = `  → ${block.tool} ${oneLine(block.about)}`;
			const outcome = end.filter(Boolean).join(", ");
			yield cutToWidth(line, widthOf(style) - (outcome === "" ? 0 : outcome.length + 2)) +
				(outcome ? `  ${outcome}` : "");
			if (!isFull) return;
			for (const { text } of block.diffs) yield* indented(text, style);
			if (block.result && block.diffs.length === 0) yield* indented(block.result.text, style);
		}
	}
}

function* renderRule(rule: ConversationRule, { style, isFull }: LineOptions): Generator<string> {
	const { kind, why, tokensBefore, tokensAfter, left, handle, text } = rule;
	const by = kind === "seal" ? `weft sealed the history (${why})` : "The agent compacted its history";
	const sizes =
		tokensBefore !== null && tokensAfter !== null
			? `: ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`
			: "";
	yield "";
	yield* painted(
		"bold",
		`── ${by}${sizes}${left === null ? "" : `, ${plural(left, "message")} left`}  ${handle}`,
		style,
	);
	if (isFull && text) yield* indented(text.text, style);
}

/** Wrapped before it is painted: colours have no width. */
function* painted(paint: "bold" | "dim", line: string, style: TextStyle): Generator<string> {
	for (const each of wrapWords(line, style.columns, "")) yield style.paint(paint, each);
}

function widthOf({ columns }: TextStyle): number {
	return columns ?? MAX_FOLDED_COLUMNS;
}

function* folded(text: string, handle: string, { style, isFull }: LineOptions): Generator<string> {
	if (isFull) yield* indented(text, style);
	else yield style.paint("dim", `  ${cutToWidth(oneLine(text), widthOf(style) - handle.length - 4)}  ${handle}`);
}

function* indented(text: string, { columns }: TextStyle): Generator<string> {
	for (const line of printable(text).replace(/\n$/, "").split("\n")) yield* wrapWords(`    ${line}`, columns, "");
}
