/** Renders an envelope for people: as bounded Markdown, and as a short text with one line per piece. */
import { plainJson } from "../base/json/read.ts";
import { formatCount, plural } from "../base/text/bytes.ts";
import { cutWithEllipsis, textWidth } from "../base/text/cut.ts";
import { oneLine } from "../base/text/printable.ts";
import { wrapWords } from "../base/text/wrap.ts";
import { type Segment, segmentsOf } from "../context/envelope/bytes.ts";
import type { ContextEnvelope, EnvelopeMessage } from "../context/envelope/envelope.ts";
import type { ContextItem } from "../context/section/section.ts";
import { type Block, guessForm, readWire } from "../message/view.ts";
import type { TextStyle } from "./text-style.ts";

/** Of one part, message or tool. */
const MAX_PIECE_CHARS = 4_000;
const MAX_TOTAL_CHARS = 200_000;
const LINE_CHARS = 100;

interface MarkdownOptions {
	/** The agent's count for the whole: the sizes of the parts are scaled to it. */
	readonly tokens?: number | undefined;
}

/** The answer of the document's `get_context`. */
export function renderMarkdown(envelope: ContextEnvelope, options: MarkdownOptions = {}): string {
	const segments = scaled(segmentsOf(envelope), options.tokens);
	const { cached, uncached } = envelope.messages;
	const sections = [
		`# Context\n\n${sizeLine(segments)}\n`,
		...(Object.keys(envelope.options).length > 0
			? [`## Options\n\n${fence(JSON.stringify(envelope.options), "json", MAX_PIECE_CHARS)}`]
			: []),
		`## System\n`,
		...envelope.system.parts.map(({ name, text }) => `### ${oneLine(name)}\n\n${fence(text, "", MAX_PIECE_CHARS)}`),
		`## Tools\n`,
		...envelope.tools.map(
			({ name, description, parameters }) =>
				`### ${oneLine(name)}\n\n${markdownQuote(description)}\n\n${fence(JSON.stringify(parameters) ?? "", "json", MAX_PIECE_CHARS)}`,
		),
		`## Messages, cached (${cached.length})\n`,
		...cached.map((message, at) => messageSection(message, at)),
		...(uncached.length > 0 ? [`## Messages, for this request alone (${uncached.length})\n`] : []),
		...uncached.map((message, at) => messageSection(message, at)),
	];
	return bounded(sections);
}

/** One line for each system part, tool and message. */
export function renderText(envelope: ContextEnvelope): string {
	const segments = segmentsOf(envelope);
	const items = new Map(
		segments.flatMap((segment) =>
			segment.items.map((item) => [item.id, { tokens: item.tokens, segment: segment.name }]),
		),
	);
	const lines = [
		sizeLine(segments),
		...envelope.system.parts.map(({ name, text }) => `system    ${oneLine(name)}: ${gist(text)}`),
		...envelope.tools.map(({ name, description }) => `tool      ${oneLine(name)}: ${gist(description)}`),
		...[...envelope.messages.cached, ...envelope.messages.uncached].map((message) => {
			const { tokens = 0, segment = "" } = items.get(message.id) ?? {};
			const text = messageParts(message).map(partGist).join(" · ");
			return `${segment.padEnd(9)} ${message.id} ${message.role}, ${formatCount(tokens)} tokens: ${text === "" ? "(empty)" : cutWithEllipsis(text, LINE_CHARS)}`;
		}),
	];
	return bounded(lines);
}

/** Scales the sizes. The largest segment takes the rounding error, so that the sum is exact. */
function scaled(segments: readonly Segment[], tokens: number | undefined): readonly Segment[] {
	const all = segments.reduce((sum, segment) => sum + segment.tokens, 0);
	if (tokens === undefined || all === 0) return segments;
	const sized = segments.map((segment) => ({ ...segment, tokens: Math.round((segment.tokens * tokens) / all) }));
	const rest = tokens - sized.reduce((sum, segment) => sum + segment.tokens, 0);
	const largest = sized.reduce((best, segment) => (segment.tokens > best.tokens ? segment : best));
	return sized.map((each) => (each === largest ? { ...each, tokens: each.tokens + rest } : each));
}

function sizeLine(segments: readonly Segment[]): string {
	const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
	const parts = segments.filter(({ bytes }) => bytes > 0).map((each) => `${each.name} ${formatCount(each.tokens)}`);
	return `About ${plural(tokens, "token")}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}.`;
}

function messageSection(message: EnvelopeMessage, at: number): string {
	const seed = message.seed === true ? ", seed" : "";
	const head = `### ${at + 1}. ${message.role} \`${message.id}\`${seed}\n`;
	const parts = messageParts(message).map((part) => {
		const body = part.text === "" ? "" : `\n\n${fence(part.text, "", MAX_PIECE_CHARS)}`;
		return part.kind === "text" ? fence(part.text, "", MAX_PIECE_CHARS) : `*${label(part)}*${body}`;
	});
	return [head, ...parts].join("\n");
}

/** A part of a message, as a person reads it. */
interface MessagePart {
	readonly kind: Block["kind"];
	/** The tool's name, or that of a block that this version cannot read. */
	readonly name: string;
	readonly text: string;
}

export function messageParts(message: EnvelopeMessage): MessagePart[] {
	const view = readWire(message, guessForm(message));
	return view.shown === undefined ? view.blocks.map(partOf) : [{ kind: "text", name: "", text: view.shown }];
}

function partOf(block: Block): MessagePart {
	const { kind } = block;
	switch (block.kind) {
		case "call":
			return { kind, name: block.tool, text: plainJson(block.input) };
		case "result":
			return { kind, name: block.tool ?? block.callId, text: block.shown };
		case "image":
			return { kind, name: "", text: block.mimeType ?? "" };
		case "other":
			return { kind, name: block.name, text: "" };
		default:
			return { kind, name: "", text: block.text };
	}
}

function label({ kind, name }: MessagePart): string {
	return name === "" ? kind : `${kind} ${oneLine(name)}`;
}

function partGist(part: MessagePart): string {
	return part.kind === "text" ? gist(part.text) : `${label(part)} ${gist(part.text)}`.trim();
}

function gist(text: string): string {
	return cutWithEllipsis(oneLine(cutWithEllipsis(text, LINE_CHARS * 4)), LINE_CHARS);
}

/** A fence longer than any in the text, so that the text cannot end it. */
export function fence(text: string, language: string, most = Number.POSITIVE_INFINITY): string {
	const longest = [...text.matchAll(/`{3,}/g)].reduce((length, [run]) => Math.max(length, run.length), 2);
	const ticks = "`".repeat(longest + 1);
	const { shown, rest } = cut(text, most);
	return `${ticks}${language}\n${shown}\n${ticks}\n${rest}`;
}

function markdownQuote(text: string): string {
	const { shown, rest } = cut(text, MAX_PIECE_CHARS);
	return `${shown.replace(/^/gm, "> ")}\n${rest}`.trimEnd();
}

function cut(text: string, most: number): { readonly shown: string; readonly rest: string } {
	if (text.length <= most) return { shown: text, rest: "" };
	return { shown: cutWithEllipsis(text, most), rest: `\n(${formatCount(text.length - most + 1)} more characters)\n` };
}

/** Joins pieces from the front up to the limit; the last line says how many were left out. */
function bounded(pieces: readonly string[]): string {
	const shown: string[] = [];
	let chars = 0;
	for (const piece of pieces) {
		if (chars + piece.length + 1 > MAX_TOTAL_CHARS) break;
		chars += piece.length + 1;
		shown.push(piece);
	}
	const left = pieces.length - shown.length;
	return [...shown, ...(left > 0 ? [`… ${plural(left, "more piece")} left out.`] : [])].join("\n");
}

const NUMBER_COLUMNS = 8;
const HANDLE_COLUMNS = 14;

/** The items of a request, grouped by the reason that includes or excludes them. */
export function* renderItems(items: readonly ContextItem[], style: TextStyle): Generator<string> {
	for (const group of groupsOf(items)) {
		const [{ included, why }] = group;
		const tokens = group.reduce((sum, item) => sum + item.tokens, 0);
		const sum = group.length === 1 ? "" : `: ${group.length} items, ${plural(tokens, "token")}`;
		const heading = wrapWords(`${included ? "✓" : "–"} ${oneLine(why)}${sum}`, style.columns);
		yield* heading.map((line) => style.paint(included ? "bold" : "dim", line));
		for (const item of group) yield itemLine(item, style);
	}
}

function itemLine({ id, tokens, handle = "" }: ContextItem, style: TextStyle): string {
	const start = `${(tokens === 0 ? "" : formatCount(tokens)).padStart(NUMBER_COLUMNS)}  ${handle.padEnd(HANDLE_COLUMNS)}  `;
	// A name that repeats the handle adds nothing.
	const name = handle !== "" && id.endsWith(handle) ? "" : oneLine(id);
	return (start + keepEnd(name, style.columns === undefined ? undefined : style.columns - start.length)).trimEnd();
}

/** Keeps the end: it names the file of a path. */
function keepEnd(text: string, columns: number | undefined): string {
	if (columns === undefined || textWidth(text) <= columns) return text;
	let start = 1;
	while (textWidth(text.slice(start)) > columns - 1) start++;
	return `…${text.slice(start)}`;
}

/** Neighbours with the same reason. */
function groupsOf(items: readonly ContextItem[]): (readonly [ContextItem, ...ContextItem[]])[] {
	const groups: [ContextItem, ...ContextItem[]][] = [];
	for (const item of items) {
		const last = groups.at(-1);
		if (last && last[0].why === item.why && last[0].included === item.included) last.push(item);
		else groups.push([item]);
	}
	return groups;
}
