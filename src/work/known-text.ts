/**
 * What is known of a file's text from what was shown and changed: all of it, or some stretches of lines. Pure: every
 * function returns a new value. What can no longer be vouched for is dropped, never guessed.
 */
import type { Replacement } from "../transcript/derive-change.ts";
import type { KnownLines } from "./file-source.ts";

export type KnownText =
	| { readonly kind: "whole"; readonly text: string }
	| { readonly kind: "lines"; readonly parts: readonly KnownLines[] }
	| { readonly kind: "deleted" };

export const NOTHING_KNOWN: KnownText = { kind: "lines", parts: [] };
/** Beyond this a file is kept as unknown: no agent was shown so much of one. */
const MAX_KNOWN_CHARS = 8_000_000;

/** Lines as a diff names them; `oldStart` may be a guess. */
export interface LineHunk {
	readonly oldStart: number;
	readonly newStart: number;
	/** With their signs: ` `, `+`, `-`. */
	readonly lines: readonly string[];
}

export function knowWhole(text: string): KnownText {
	return text.length > MAX_KNOWN_CHARS ? NOTHING_KNOWN : { kind: "whole", text };
}

/** A stretch of lines was shown. Where it contradicts what was known, somebody changed the file: only this stretch stays. */
export function knowLines(known: KnownText, from: number, lines: readonly string[]): KnownText {
	if (lines.length === 0) return known;
	if (known.kind === "whole") {
		const own = known.text.split("\n");
		const agrees = lines.every((line, at) => same(own[from - 1 + at], line));
		return agrees ? known : { kind: "lines", parts: [{ from, lines }] };
	}
	if (known.kind === "deleted") return { kind: "lines", parts: [{ from, lines }] };
	const agrees = known.parts.every((part) => agree(part, { from, lines }));
	return { kind: "lines", parts: agrees ? merge([...known.parts, { from, lines }]) : [{ from, lines }] };
}

/** Texts were replaced, one after the other. Undefined: a text to be replaced is in nothing that is known. */
export function replaceTexts(known: KnownText, edits: readonly Replacement[]): KnownText | undefined {
	let now: KnownText | undefined = known;
	for (const edit of edits) {
		if (edit.before === "" || !now) return undefined;
		now = now.kind === "whole" ? replaceInWhole(now.text, edit) : replaceInParts(now, edit);
	}
	return now;
}

/** Applies a diff: each hunk where its old lines stand, nearest to where it says. Undefined: they stand nowhere known. */
export function applyHunks(known: KnownText, hunks: readonly LineHunk[]): KnownText | undefined {
	if (known.kind === "deleted") return undefined;
	let parts: readonly KnownLines[] =
		known.kind === "whole" ? [{ from: 1, lines: known.text.split("\n") }] : known.parts;
	let shift = 0;
	for (const hunk of hunks) {
		const old = side(hunk, "-");
		const fresh = side(hunk, "+");
		const found = locate(parts, old, hunk.oldStart + shift);
		if (!found) return undefined;
		parts = spliceParts(parts, found, old.length, fresh);
		shift += fresh.length - old.length;
	}
	return known.kind === "whole" ? { kind: "whole", text: parts[0]!.lines.join("\n") } : { kind: "lines", parts };
}

/** What a diff alone tells of the file after it, when its line numbers are the file's. */
export function knowHunks(hunks: readonly LineHunk[]): KnownText {
	const parts = hunks.map((hunk) => ({ from: hunk.newStart, lines: side(hunk, "+") }));
	return { kind: "lines", parts: merge(parts.filter((part) => part.lines.length > 0 && part.from >= 1)) };
}

function side(hunk: LineHunk, sign: "+" | "-"): string[] {
	return hunk.lines.filter((line) => line[0] === " " || line[0] === sign).map((line) => line.slice(1));
}

function replaceInWhole(text: string, edit: Replacement): KnownText | undefined {
	if (!text.includes(edit.before)) return undefined;
	const after = edit.all ? text.replaceAll(edit.before, () => edit.after) : text.replace(edit.before, () => edit.after);
	return knowWhole(after);
}

/** In stretches every occurrence cannot be known, so `all` leaves nothing that can be vouched for after the first. */
function replaceInParts(known: KnownText, edit: Replacement): KnownText | undefined {
	if (known.kind !== "lines" || edit.all) return undefined;
	for (const [index, part] of known.parts.entries()) {
		const text = part.lines.join("\n");
		const at = text.indexOf(edit.before);
		if (at === -1) continue;
		const lines = (text.slice(0, at) + edit.after + text.slice(at + edit.before.length)).split("\n");
		const shift = lines.length - part.lines.length;
		const parts = known.parts.map((other, place) => {
			if (place === index) return { from: part.from, lines };
			return other.from > part.from ? { from: other.from + shift, lines: other.lines } : other;
		});
		return { kind: "lines", parts: merge(parts) };
	}
	return undefined;
}

interface Place {
	readonly part: number;
	readonly at: number;
}

function locate(parts: readonly KnownLines[], old: readonly string[], line: number): Place | undefined {
	let best: Place | undefined;
	let distance = Number.POSITIVE_INFINITY;
	for (const [part, { from, lines }] of parts.entries()) {
		if (old.length === 0) {
			if (line >= from && line <= from + lines.length) return { part, at: line - from };
			continue;
		}
		for (let at = lines.indexOf(old[0]!); at !== -1; at = lines.indexOf(old[0]!, at + 1)) {
			const away = Math.abs(from + at - line);
			if (away >= distance || !old.every((text, offset) => lines[at + offset] === text)) continue;
			best = { part, at };
			distance = away;
		}
	}
	return best;
}

function spliceParts(
	parts: readonly KnownLines[],
	place: Place,
	removed: number,
	fresh: readonly string[],
): readonly KnownLines[] {
	const target = parts[place.part]!;
	const shift = fresh.length - removed;
	const spliced = parts.map((part, index) => {
		if (index === place.part) {
			return {
				from: part.from,
				lines: [...part.lines.slice(0, place.at), ...fresh, ...part.lines.slice(place.at + removed)],
			};
		}
		return part.from > target.from ? { from: part.from + shift, lines: part.lines } : part;
	});
	return spliced;
}

/** Stretches in order; those that touch or overlap become one, the later one's lines winning. */
function merge(parts: readonly KnownLines[]): KnownLines[] {
	const merged: { from: number; lines: string[] }[] = [];
	for (const part of [...parts].sort((one, other) => one.from - other.from)) {
		const last = merged.at(-1);
		if (!last || part.from > last.from + last.lines.length) {
			merged.push({ from: part.from, lines: [...part.lines] });
			continue;
		}
		const at = part.from - last.from;
		last.lines = [...last.lines.slice(0, at), ...part.lines, ...last.lines.slice(at + part.lines.length)];
	}
	return merged;
}

function agree(known: KnownLines, shown: KnownLines): boolean {
	const start = Math.max(known.from, shown.from);
	const end = Math.min(known.from + known.lines.length, shown.from + shown.lines.length);
	for (let line = start; line < end; line++) {
		if (!same(known.lines[line - known.from], shown.lines[line - shown.from]!)) return false;
	}
	return true;
}

/** Hosts show lines without the carriage return that ends them in the file. */
function same(own: string | undefined, shown: string): boolean {
	return own !== undefined && (own === shown || own === `${shown}\r`);
}
