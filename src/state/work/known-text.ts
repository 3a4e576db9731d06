/**
 * The known part of a file's text, from reads and changes: all of it, or some stretches of lines. Every function is pure and
 * returns a new value. Files also change in ways that no message shows, such as by a formatter. If shown lines contradict
 * the known ones, they replace them and the rest is kept as stretches: most of it is still right, and a recording has
 * nothing better.
 */
import type { Replacement } from "../session/file-change.ts";
import type { KnownLines } from "./file-source.ts";

export type KnownText =
	| { readonly kind: "whole"; readonly text: string }
	| { readonly kind: "lines"; readonly parts: readonly KnownLines[] }
	| { readonly kind: "deleted" };

export const NOTHING_KNOWN: KnownText = { kind: "lines", parts: [] };
/** A larger file is kept as unknown: no agent is shown that much of one. */
const MAX_KNOWN_CHARS = 8_000_000;

/** A hunk of a diff. `oldStart` may be a guess. */
export interface LineHunk {
	readonly oldStart: number;
	readonly newStart: number;
	/** With their signs: ` `, `+`, `-`. */
	readonly lines: readonly string[];
}

export function knowWhole(text: string): KnownText {
	return text.length > MAX_KNOWN_CHARS ? NOTHING_KNOWN : { kind: "whole", text };
}

/** Adds a stretch of lines that was shown. */
export function knowLines(known: KnownText, from: number, lines: readonly string[]): KnownText {
	if (lines.length === 0) return known;
	if (known.kind === "whole") {
		const own = known.text.split("\n");
		const agrees = lines.every((line, at) => same(own[from - 1 + at], line));
		return agrees ? known : { kind: "lines", parts: overlay([{ from: 1, lines: own }], { from, lines }) };
	}
	if (known.kind === "deleted") return { kind: "lines", parts: [{ from, lines }] };
	return { kind: "lines", parts: overlay(known.parts, { from, lines }) };
}

/** Adds lines only where none are known. Contradicting ones are left out: a single line cannot tell what moved. */
export function fillLines(known: KnownText, from: number, lines: readonly string[]): KnownText {
	if (known.kind !== "lines") return known;
	const end = from + lines.length;
	const isFree = known.parts.every((part) => part.from >= end || part.from + part.lines.length <= from);
	return isFree ? { kind: "lines", parts: merge([...known.parts, { from, lines }]) } : known;
}

/** Applies replacements one after the other. Undefined: a text to replace is not in the known text. */
export function replaceTexts(known: KnownText, edits: readonly Replacement[]): KnownText | undefined {
	let now: KnownText | undefined = known;
	for (const edit of edits) {
		if (edit.before === "" || !now) return undefined;
		now = now.kind === "whole" ? replaceInWhole(now.text, edit) : replaceInParts(now, edit);
	}
	return now;
}

/** Applies a diff: each hunk where its old lines are, nearest to its line number. Undefined: the old lines are not known. */
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
	if (known.kind === "lines") return { kind: "lines", parts };
	return { kind: "whole", text: parts.flatMap(({ lines }) => lines).join("\n") };
}

/** Learns the new lines of a diff whose old lines are unknown but whose line numbers are the file's. */
export function knowHunks(known: KnownText, hunks: readonly LineHunk[]): KnownText {
	let now = known;
	for (const hunk of hunks) if (hunk.newStart >= 1) now = knowLines(now, hunk.newStart, side(hunk, "+"));
	return now.kind === "whole" ? { kind: "lines", parts: [{ from: 1, lines: now.text.split("\n") }] } : now;
}

function side(hunk: LineHunk, sign: "+" | "-"): string[] {
	return hunk.lines.filter((line) => line[0] === " " || line[0] === sign).map((line) => line.slice(1));
}

function replaceInWhole(text: string, edit: Replacement): KnownText | undefined {
	if (!text.includes(edit.before)) return undefined;
	const after = edit.all ? text.replaceAll(edit.before, () => edit.after) : text.replace(edit.before, () => edit.after);
	return knowWhole(after);
}

/** Stretches do not show every occurrence, so `all` cannot be applied to them. */
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

interface PartPosition {
	readonly part: number;
	readonly at: number;
}

function locate(parts: readonly KnownLines[], old: readonly string[], line: number): PartPosition | undefined {
	let best: PartPosition | undefined;
	let distance = Number.POSITIVE_INFINITY;
	const [first] = old;
	for (const [part, { from, lines }] of parts.entries()) {
		if (first === undefined) {
			if (line >= from && line <= from + lines.length) return { part, at: line - from };
			continue;
		}
		for (let at = lines.indexOf(first); at !== -1; at = lines.indexOf(first, at + 1)) {
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
	place: PartPosition,
	removed: number,
	fresh: readonly string[],
): readonly KnownLines[] {
	const below = parts[place.part]?.from ?? 0;
	const shift = fresh.length - removed;
	const spliced = parts.map((part, index) => {
		if (index === place.part) {
			return {
				from: part.from,
				lines: [...part.lines.slice(0, place.at), ...fresh, ...part.lines.slice(place.at + removed)],
			};
		}
		return part.from > below ? { from: part.from + shift, lines: part.lines } : part;
	});
	return spliced;
}

/** Sorts stretches and joins those that touch or overlap. The later one's lines win. */
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

const MAX_SHIFT_LINES = 80;
/** Two stretches with this share of equal lines are the same place. */
const SAME_PLACE = 0.5;

/** Puts a shown stretch over the known lines where it fits best: lines above it may have been added or removed. */
function overlay(parts: readonly KnownLines[], shown: KnownLines): KnownLines[] {
	const shift = bestShift(parts, shown);
	const end = shown.from + shown.lines.length;
	const kept = parts.flatMap((part) => {
		// Lines below the shown stretch moved as far as the stretch did.
		const above = part.lines.slice(0, Math.max(0, shown.from + shift - part.from));
		const below = part.lines.slice(Math.max(0, end + shift - part.from));
		const from = part.from + part.lines.length - below.length - shift;
		return [
			{ from: part.from, lines: above.slice(0, Math.max(0, shown.from - part.from)) },
			{ from, lines: below },
		].filter((each) => each.lines.length > 0);
	});
	return merge([...kept, shown]);
}

/** How many lines lower the shown stretch was in the known text; 0 if it is not found. */
function bestShift(parts: readonly KnownLines[], shown: KnownLines): number {
	const known = new Map<number, string>();
	for (const part of parts) for (const [at, line] of part.lines.entries()) known.set(part.from + at, line);
	let best = { shift: 0, equal: equalLines(known, shown, 0) };
	if (best.equal === shown.lines.length) return 0;
	for (let away = 1; away <= MAX_SHIFT_LINES; away++) {
		for (const shift of [away, -away]) {
			const equal = equalLines(known, shown, shift);
			if (equal > best.equal) best = { shift, equal };
		}
	}
	return best.equal >= shown.lines.length * SAME_PLACE ? best.shift : 0;
}

function equalLines(known: ReadonlyMap<number, string>, shown: KnownLines, shift: number): number {
	let equal = 0;
	for (const [at, line] of shown.lines.entries()) if (same(known.get(shown.from + at + shift), line)) equal++;
	return equal;
}

/** Agents show lines without the carriage return that ends them in the file. */
function same(own: string | undefined, shown: string): boolean {
	return own !== undefined && (own === shown || own === `${shown}\r`);
}
