/** The changes between the text that the model knows and the text on disk, as a unified diff of bounded size. */

import { type Hunk, hunksBetween, writeDiff } from "../base/diff/unified.ts";
import { cutStart } from "../base/text/cut.ts";
import { plainText } from "../base/text/lines.ts";
import { addRange, type LineRange } from "./shown-lines.ts";
import type { BaseText } from "./types.ts";

const MAX_DIFF_LINES = 120;
const MAX_DIFF_CHARS = 6_000;
/** How far above and below its old place a shown part is searched. */
const WINDOW_LINES = 500;

export interface DiffRoom {
	readonly lines: number;
	/** UTF-16 units. */
	readonly chars: number;
}

export const DIFF_ROOM: DiffRoom = { lines: MAX_DIFF_LINES, chars: MAX_DIFF_CHARS };

export interface DiffSince {
	readonly text: string;
	readonly added: number;
	readonly removed: number;
	/** The text shows every change in what the model knew. */
	readonly complete: boolean;
	/** The whole diff, if it is known and not huge. */
	readonly whole?: string | undefined;
	readonly hunks: readonly Hunk[];
	/** Changed lines, and lines before removed ones, that the text does not show. Numbers of now. */
	readonly unread: readonly LineRange[];
	/** All lines of now that were changed. */
	readonly changed: readonly LineRange[];
}

/** Undefined: the texts have too little in common. */
export function diffSince(
	path: string,
	base: BaseText,
	now: string,
	room: DiffRoom = DIFF_ROOM,
): DiffSince | undefined {
	const found = base.kind === "whole" ? inWhole(base.text, now) : inSlices(base.slices, now);
	if (found === undefined || found.hunks.length === 0) return undefined;
	const { diff, added, removed } = writeDiff(path, found.hunks);
	const lines = (diff ?? "").trimEnd().split("\n");
	const kept = cutStart(lines.slice(0, room.lines).join("\n"), room.chars);
	const cut = diff === undefined || kept.length < lines.join("\n").length;
	// The last line may be cut in its middle.
	const count = kept.split("\n").length - (cut ? 1 : 0);
	const head = kept.split("\n").slice(0, count).join("\n");
	const omitted = lines.length - count;
	const text = !cut
		? kept
		: `${head === "" ? "" : `${head}\n`}[${Math.max(1, omitted)} more lines of this diff are left out]`;
	return {
		text,
		added,
		removed,
		complete: found.complete && !cut,
		whole: base.kind === "whole" ? diff : undefined,
		hunks: found.hunks,
		unread: cut ? changedLines(found.hunks, Math.max(0, count - FILE_HEAD_LINES)) : [],
		changed: changedLines(found.hunks, 0),
	};
}

/** `--- a/…` and `+++ b/…`. */
const FILE_HEAD_LINES = 2;

/** The changed lines after the first `shown` lines of the hunks, headers included. */
function changedLines(hunks: readonly Hunk[], shown: number): LineRange[] {
	let changed: LineRange[] = [];
	let index = 0;
	for (const hunk of hunks) {
		index++;
		let line = hunk.newStart;
		for (const [at, text] of hunk.lines.entries()) {
			const isShown = index++ < shown;
			const isReplaced = text.startsWith("-") && /^[-+]/.test(hunk.lines[at + 1] ?? "");
			if (text.startsWith("+") && !isShown) changed = addRange(changed, [line, line]);
			// Removed lines are recorded at the line before them.
			if (text.startsWith("-") && !isReplaced && !isShown)
				changed = addRange(changed, [Math.max(1, line - 1), Math.max(1, line - 1)]);
			if (!/^[-\\]/.test(text)) line++;
		}
	}
	return changed;
}

interface FoundHunks {
	readonly hunks: readonly Hunk[];
	readonly complete: boolean;
}

function inWhole(before: string, now: string): FoundHunks | undefined {
	const hunks = hunksBetween(plainText(before), plainText(now));
	return hunks && { hunks, complete: true };
}

/** Only parts of the old text are known: lines above or below such a part may have been there before. */
function inSlices(slices: Extract<BaseText, { kind: "slices" }>["slices"], now: string): FoundHunks | undefined {
	const lines = plainText(now).split("\n");
	const all: FoundHunks[] = [];
	for (const { from, text } of slices) {
		const part = plainText(closed(text));
		const length = part.split("\n").length - 1;
		const start = Math.max(0, from - 1 - WINDOW_LINES);
		const window = lines.slice(start, from - 1 + length + WINDOW_LINES);
		const hunks = hunksBetween(part, closed(window.join("\n")));
		if (hunks === undefined) return undefined;
		all.push(...hunks.map((hunk) => inside(hunk, { length, oldShift: from - 1, newShift: start })));
	}
	return { hunks: all.flatMap((found) => found.hunks), complete: all.every((found) => found.complete) };
}

/** A hunk without the lines that it adds above or below the known part; of a replaced last line some are kept. */
function inside(hunk: Hunk, part: { length: number; oldShift: number; newShift: number }): FoundHunks {
	const isOld = (line: string) => !line.startsWith("+");
	const atTop = hunk.oldStart <= 1;
	const atEnd = hunk.oldStart + hunk.oldLines > part.length;
	const first = atTop ? Math.max(0, hunk.lines.findIndex(isOld)) : 0;
	const lastOld = hunk.lines.findLastIndex(isOld);
	const replaced = lastOld - hunk.lines.findLastIndex((line, i) => i <= lastOld && !line.startsWith("-"));
	const end = atEnd ? Math.min(hunk.lines.length, lastOld + 1 + replaced) : hunk.lines.length;
	const lines = hunk.lines.slice(first, end).filter((line) => !line.startsWith("\\"));
	if (lastOld === -1 || !lines.some((line) => /^[+-]/.test(line))) return { hunks: [], complete: true };
	const kept = {
		oldStart: hunk.oldStart + part.oldShift,
		newStart: hunk.newStart + first + part.newShift,
		oldLines: lines.filter(isOld).length,
		newLines: lines.filter((line) => !line.startsWith("-")).length,
		lines,
	};
	return { hunks: [kept], complete: !(atEnd && replaced > 0) };
}

function closed(text: string): string {
	return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
