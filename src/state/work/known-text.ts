/**
 * What is known of a file's text from what was shown and changed: all of it, or some stretches of lines. Pure: every
 * function returns a new value. Files also change in ways that no message shows (a formatter, a command): where what is
 * shown contradicts what was known, the new lines are laid over it and the rest stays, as stretches: most of it still
 * stands, and for a recording it is the best there is.
 */
import type { Replacement } from "../session/file-change.ts";
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

/** A stretch of lines was shown. */
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

/** What a diff tells of the file after it, when its line numbers are the file's but its old lines stand nowhere known. */
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

interface PartPosition {
	readonly part: number;
	readonly at: number;
}

function locate(parts: readonly KnownLines[], old: readonly string[], line: number): PartPosition | undefined {
	let best: PartPosition | undefined;
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
	place: PartPosition,
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

const MAX_SHIFT_LINES = 80;
/** Share of equal lines from which two stretches are taken for the same place. */
const SAME_PLACE = 0.5;

/** Lays a stretch over what was known, where it fits best: lines above it may have come or gone since. */
function overlay(parts: readonly KnownLines[], shown: KnownLines): KnownLines[] {
	const shift = bestShift(parts, shown);
	const end = shown.from + shown.lines.length;
	const kept = parts.flatMap((part) => {
		// What stood from the shown place on has moved by as much as that place itself.
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

/** How many lines lower the shown stretch stood in what was known; 0 where it is not found again. */
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

/** Hosts show lines without the carriage return that ends them in the file. */
function same(own: string | undefined, shown: string): boolean {
	return own !== undefined && (own === shown || own === `${shown}\r`);
}
