/**
 * Unified diffs. Programs record a change in several ways; each becomes hunks, with the line numbers of the real file
 * where they are given, and one text that `patch` and `git apply` understand.
 */
import { formatPatch, parsePatch, structuredPatch } from "diff";
import { asInteger, asList, asObject } from "../json/read.ts";
import { countLines } from "../text/lines.ts";

/** In the shape of the package `diff`: where a side has no lines, its start is the line that would follow them. */
export interface Hunk {
	oldStart: number;
	oldLines: number;
	newStart: number;
	newLines: number;
	lines: string[];
}

export interface DiffText {
	readonly added: number;
	readonly removed: number;
	/** Left out when it would be larger than 200,000 characters. */
	readonly diff?: string | undefined;
}

const MAX_DIFF_CHARS = 200_000;
/** The time of Myers' algorithm grows with the number of differences; beyond this many a diff says little anyway. */
const MAX_EDIT_LENGTH = 4_000;
const CONTEXT_LINES = 3;
/** Common lines at the end that are compared anyway: repeated lines may turn out to be added further down. */
const LINES_AFTER = 40;
const NO_NEWLINE = "\\ No newline at end of file";

export function writeDiff(
	path: string,
	hunks: readonly Hunk[],
	kind: "change" | "create" | "delete" = "change",
): DiffText {
	let added = 0;
	let removed = 0;
	for (const hunk of hunks) {
		for (const line of hunk.lines) {
			if (line.startsWith("+")) added++;
			else if (line.startsWith("-")) removed++;
		}
	}
	const inFolder = !/^(?:\/|~|[A-Za-z]:)/.test(path);
	const diff = formatPatch(
		{
			oldFileName: kind === "create" ? "/dev/null" : inFolder ? `a/${path}` : path,
			newFileName: kind === "delete" ? "/dev/null" : inFolder ? `b/${path}` : path,
			oldHeader: undefined,
			newHeader: undefined,
			hunks: [...hunks],
		},
		{ includeIndex: false, includeUnderline: false, includeFileHeaders: true },
	);
	return hunks.length === 0 || diff.length > MAX_DIFF_CHARS ? { added, removed } : { added, removed, diff };
}

/** The hunks between two texts; undefined where they differ too much to be worth it. */
export function hunksBetween(before: string, after: string): Hunk[] | undefined {
	const options = { context: CONTEXT_LINES, maxEditLength: MAX_EDIT_LENGTH };
	const { start, end, lines } = sameEnds(before, after);
	const from = before.slice(start, before.length - end);
	const to = after.slice(start, after.length - end);
	const hunks = structuredPatch("", "", from, to, undefined, undefined, options)?.hunks;
	return hunks?.map((hunk) => ({ ...hunk, oldStart: hunk.oldStart + lines, newStart: hunk.newStart + lines }));
}

/**
 * How many characters both texts share at the start and at the end, in whole lines, without the lines that a hunk shows
 * around a change. Most changes are small, so most of the file need not be compared line by line.
 */
function sameEnds(before: string, after: string): { start: number; end: number; lines: number } {
	const most = Math.min(before.length, after.length);
	let start = 0;
	while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
	const room = most - start;
	// Back to the start of the line, and past the context lines before it.
	for (let back = 0; back <= CONTEXT_LINES && start >= 0; back++)
		start = start === 0 ? -1 : before.lastIndexOf("\n", start - 1);
	start++;
	let end = 0;
	while (end < room && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++;
	let from = before.length - end;
	for (let ahead = 0; ahead <= LINES_AFTER; ahead++) {
		const at = before.indexOf("\n", from);
		from = at < 0 ? before.length : at + 1;
	}
	return { start, end: before.length - from, lines: countLines(before.slice(0, start)) };
}

/** Every line of a text as one hunk that adds it to an empty file. */
export function hunksOfCreation(content: string): Hunk[] {
	const count = countLines(content);
	if (count === 0) return [];
	const lines = content.split("\n").slice(0, count);
	const hunk = { oldStart: 1, oldLines: 0, newStart: 1, newLines: count, lines: lines.map((line) => `+${line}`) };
	if (!content.endsWith("\n")) hunk.lines.push(NO_NEWLINE);
	return [hunk];
}

/** Reads the hunks of a unified diff; undefined: it is none. */
export function readUnified(text: string): Hunk[] | undefined {
	if (!/^@@ -\d/m.test(text)) return undefined;
	try {
		return parsePatch(text).flatMap((file) => file.hunks);
	} catch {
		return undefined;
	}
}

/** Reads hunks stored as data, in the shape of the package `diff`. */
export function readHunks(value: unknown): Hunk[] | undefined {
	const hunks: Hunk[] = [];
	for (const item of asList(value)) {
		const hunk = asObject(item) ?? {};
		const lines = asList(hunk["lines"]).filter((line) => typeof line === "string");
		const oldStart = asInteger(hunk["oldStart"]);
		const newStart = asInteger(hunk["newStart"]);
		if (oldStart === undefined || newStart === undefined || lines.length === 0) return undefined;
		hunks.push(measured(oldStart, newStart, lines));
	}
	return hunks.length > 0 ? hunks : undefined;
}

/**
 * Reads the numbered diffs that some programs display: `-12 old`, `+12 new`, ` 13 same`, and ` ...` for omitted lines;
 * some write a bar after the number. Removed lines have the old number, added ones the new. The numbers of unchanged
 * lines are ignored: some versions count them from 1 after a gap.
 */
export function readDisplayDiff(text: string): Hunk[] | undefined {
	const hunks: Hunk[] = [];
	let lines: string[] = [];
	let changed = false;
	let start = { old: 1, new: 1 };
	let next = { old: 1, new: 1 };
	const close = () => {
		if (changed) hunks.push(measured(start.old, start.new, lines));
		lines = [];
		changed = false;
	};
	for (const line of text.split("\n")) {
		const read = /^([ +-])\s*(\d+)([ |])(.*)$/s.exec(line);
		if (!read || (read[3] === "|" && read[4] === "...")) {
			if (line.trim() !== "" && !/^[ +-]?\s*(?:\d+\|)?\.\.\.$/.test(line)) return undefined;
			close();
			continue;
		}
		const [, sign = "", digits, , content = ""] = read;
		const number = Number(digits);
		if (sign !== " " && !changed) {
			// Omitted lines are on both sides, so the two numberings stay as far apart as after the last change.
			const distance = next.new - next.old;
			next = sign === "+" ? { old: number - distance, new: number } : { old: number, new: number + distance };
			start = { old: next.old - lines.length, new: next.new - lines.length };
			if (start.old < 0) return undefined;
			changed = true;
		} else if (sign === "+" ? number !== next.new : sign === "-" && number !== next.old) {
			return undefined;
		}
		lines.push(sign + content);
		if (!changed) continue;
		if (sign !== "+") next.old++;
		if (sign !== "-") next.new++;
	}
	close();
	return hunks.length > 0 ? hunks : undefined;
}

function measured(oldStart: number, newStart: number, lines: string[]): Hunk {
	let oldLines = 0;
	let newLines = 0;
	for (const line of lines) {
		if (line.startsWith("\\")) continue;
		if (!line.startsWith("+")) oldLines++;
		if (!line.startsWith("-")) newLines++;
	}
	return { oldStart, oldLines, newStart, newLines, lines };
}

/** Longer texts are not compared: it would take noticeable time for little use. */
const MAX_COMPARED_CHARS = 400_000;

/**
 * The lines of a diff, each hunk under the line number where it is now. `part`: only a stretch of the old text is known,
 * so lines before and after it are no change. Undefined: nothing changed, or too much did.
 */
export function writeDiffLines(before: string, now: string, extent: "whole" | "part"): string[] | undefined {
	if (before.length > MAX_COMPARED_CHARS || now.length > MAX_COMPARED_CHARS) return undefined;
	const lines = hunksBetween(before, now)?.flatMap((hunk) => {
		const { kept, skipped } = extent === "whole" ? { kept: hunk.lines, skipped: 0 } : withoutAddedEnds(hunk.lines);
		return kept.some((line) => line[0] !== " ") ? [`@@ line ${hunk.newStart + skipped} @@`, ...kept] : [];
	});
	return lines && lines.length > 0 ? lines : undefined;
}

/** Drops added lines before the first and after the last old line. */
function withoutAddedEnds(lines: readonly string[]): { readonly kept: readonly string[]; readonly skipped: number } {
	const first = Math.max(
		0,
		lines.findIndex((line) => line[0] !== "+"),
	);
	return { kept: lines.slice(first, lines.findLastIndex((line) => line[0] !== "+") + 1), skipped: first };
}
