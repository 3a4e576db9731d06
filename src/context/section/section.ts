/**
 * A section: one piece of a text for a model, within a number of bytes, with a record of what is in it and what was left
 * out. Seed and warp share the sections and differ in style.
 */
import { estimateTokens, tokensOfBytes } from "../../base/tokens/estimate.ts";

export interface ContextItem {
	/** Names the thing: `file:src/a.ts`, `failure:bash:…`, `decision:e-…`. */
	readonly id: string;
	readonly kind: string;
	/** Its size, or the size it would have had. */
	readonly tokens: number;
	/** Why it is in, or why it was left out. */
	readonly why: string;
	readonly included: boolean;
	/** How many more of its kind did not fit, if only that was recorded. */
	readonly left?: number | undefined;
	/** By which it can be fetched whole. */
	readonly handle?: string | undefined;
}

export interface Section {
	readonly name: string;
	/** Empty: nothing to render, or no room. */
	readonly lines: readonly string[];
	readonly tokens: number;
	/** How many things did not fit. */
	readonly left: number;
	readonly items: readonly ContextItem[];
}

/** The text that opens an epoch: the state, or summaries, rendered once and then frozen. */
export interface Seed {
	readonly text: string;
	readonly tokens: number;
	readonly sections: readonly SeedSection[];
	/** Its parts, each with its reason. */
	readonly items?: readonly ContextItem[] | undefined;
}

/** One that was made of sections. */
export interface ComposedSeed extends Seed {
	readonly items: readonly ContextItem[];
}

/** The part of a section that the log keeps. */
export type SeedSection = Pick<Section, "name" | "tokens" | "left"> & {
	/** Fetches it, if it is one thing. */
	readonly handle?: string | undefined;
};

/** The differences between the texts that sections appear in. */
export interface SectionStyle {
	heading(title: string): string;
	/** Renders what was left out and how to get it. */
	notice(words: string, way?: string): string;
	/** The end of a line about something with a handle. */
	reference(handle: string): string;
	/** The line before lines of a file, from this one on; none where it is clear without one. */
	pieceHeading(from: number, count: number): readonly string[];
	/** A line of a file. */
	quote(line: string): string;
	/** False: our tools cannot be called here. */
	readonly namesTools: boolean;
	/** For ages. Undefined: a cache keeps the text, so nothing in it may change with the clock. */
	readonly now?: number | undefined;
}

/** Whether this way to get what was left out needs our tools. */
export function isOurTool(way: string): boolean {
	return way.startsWith("lcm_");
}

export function makeSection(
	name: string,
	lines: readonly string[],
	items: readonly ContextItem[],
	left = items.filter((item) => !item.included).length,
): Section {
	return { name, lines, tokens: tokensOf(lines), left, items };
}

/** Joins the sections, with a blank line between them. */
export function joinSections(all: readonly Section[], end = ""): ComposedSeed {
	const sections = all.filter(({ lines }) => lines.length > 0);
	const text = sections.map(({ lines }) => lines.join("\n")).join("\n\n") + end;
	return {
		text,
		tokens: estimateTokens(text),
		sections: sections.map(({ name, tokens, left }) => ({ name, tokens, left })),
		items: all.flatMap(({ items }) => items),
	};
}

/** Bytes of a section in a text, with the blank line before the next. */
export function bytesTaken({ lines }: Section): number {
	return lines.length === 0 ? 0 : bytesOf(lines) + 1;
}

export interface ListEntry extends Omit<ContextItem, "tokens" | "included"> {
	/** Its lines, the longest form first: the first that fits is shown. */
	readonly forms: readonly (readonly string[])[];
}

export interface SectionList {
	readonly name: string;
	readonly title: string;
	/** The most important first. The first that does not fit ends the list. */
	readonly entries: readonly ListEntry[];
	/** How many there are beyond the entries. */
	readonly more?: number | undefined;
	/** How to get what was left out, if not the style's own way. */
	readonly way?: string | undefined;
	/** Comes before the others, even without room. */
	readonly first?: ListEntry | undefined;
	/** True: without an entry that fits there is no section either; a bare count of what was left out says nothing. */
	readonly needsEntry?: boolean | undefined;
	/** True: shown in reverse order, after the notice of what does not fit. */
	readonly isReversed?: boolean | undefined;
}

export const NO_ROOM = "the section's share was used up";

/** A title and the entries that fit, with a notice of the rest. */
export function renderList(list: SectionList, style: SectionStyle, bytes: number): Section {
	const { name, entries, first, more = 0 } = list;
	if (entries.length === 0 && !first) return makeSection(name, [], [], more);
	const notice = (count: number) => style.notice(`${count} more`, list.way);
	const head = [style.heading(list.title), ...(first ? longestOf(first) : [])];
	const reserve = bytesOf([notice(entries.length + more)]);
	let free = bytes - bytesOf(head);
	let left = more;
	const shown: (readonly string[])[] = [];
	const items = first ? [itemOf(first, longestOf(first), true)] : [];
	for (const [index, entry] of entries.entries()) {
		const isLast = index === entries.length - 1 && more === 0;
		const form = left > more ? undefined : entry.forms.find((lines) => bytesOf(lines) <= free - (isLast ? 0 : reserve));
		if (form) shown.push(form);
		else left++;
		free -= bytesOf(form ?? []);
		items.push(itemOf(entry, form ?? longestOf(entry), form !== undefined));
	}
	const rest = left > 0 ? [notice(left)] : [];
	const isEmpty = shown.length === 0 && !first && (list.needsEntry === true || bytesOf([...head, ...rest]) > bytes);
	const body = list.isReversed ? [...rest, ...shown.reverse().flat()] : [...shown.flat(), ...rest];
	return makeSection(name, isEmpty ? [] : [...head, ...body], items, left);
}

function longestOf({ forms: [longest = []] }: ListEntry): readonly string[] {
	return longest;
}

function itemOf({ forms: _, ...entry }: ListEntry, lines: readonly string[], included: boolean): ContextItem {
	return { ...entry, tokens: tokensOf(lines), why: included ? entry.why : `${entry.why}, but ${NO_ROOM}`, included };
}

/** Lines that fit into a number of bytes, each counted with its line break. */
export class LineRoom {
	readonly lines: string[] = [];
	#free: number;

	constructor(bytes: number) {
		this.#free = Math.max(0, Math.floor(bytes));
	}

	/** Bytes. */
	get free(): number {
		return this.#free;
	}

	/** Adds all of these lines or none; true: they fit. */
	add(...lines: readonly string[]): boolean {
		const bytes = bytesOf(lines);
		if (bytes > this.#free) return false;
		this.#free -= bytes;
		this.lines.push(...lines);
		return true;
	}
}

export function bytesOf(lines: readonly string[]): number {
	let bytes = 0;
	for (const line of lines) bytes += Buffer.byteLength(line) + 1;
	return bytes;
}

export function tokensOf(lines: readonly string[]): number {
	return tokensOfBytes(bytesOf(lines));
}

/** How many tokens the computed context may take: Warp's formula. Pure. */

interface AnswerLimits {
	/** Tokens that the model takes in all. */
	readonly window: number;
	/** Tokens of its longest answer; by default the most that is ever reserved. */
	readonly maxTokens?: number | undefined;
}

const MAX_OUTPUT_TOKENS = 8_192;
const OUTPUT_SHARE = 0.8;
const SYSTEM_AND_TOOLS_TOKENS = 12_000;
/** Of a request; the rest is for the messages after it. */
export const COMPUTED_SHARE = 0.6;
/** Messages that left are named one by one up to this number. */
export const MAX_HANDLES = 40;
/** Below this the formula leaves too little, and a share of the window replaces it. */
const MIN_TOKENS = 2_000;
const SMALL_WINDOW_SHARE = 0.25;

export function contextBudget({ window, maxTokens }: AnswerLimits): number {
	const output = Math.min(MAX_OUTPUT_TOKENS, (maxTokens ?? Number.POSITIVE_INFINITY) * OUTPUT_SHARE);
	const computed = (window - output - SYSTEM_AND_TOOLS_TOKENS) * COMPUTED_SHARE;
	return Math.max(0, Math.floor(computed >= MIN_TOKENS ? computed : window * SMALL_WINDOW_SHARE));
}
