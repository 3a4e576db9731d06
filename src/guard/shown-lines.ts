/** The lines of a file that the model was shown: sorted ranges that neither touch nor overlap. */

/** Both ends included; null: to the end of the file. */
export type LineRange = readonly [from: number, to: number | null];

/** More ranges than this say little: the two nearest are joined, at the price of a missing note. */
const MAX_RANGES = 64;

export const WHOLE: readonly LineRange[] = [[1, null]];

export function addRange(shown: readonly LineRange[], added: LineRange): LineRange[] {
	const ranges = [...shown, added].sort((a, b) => a[0] - b[0]);
	const merged: LineRange[] = [];
	for (const range of ranges) {
		const last = merged.at(-1);
		if (!last || (last[1] !== null && range[0] > last[1] + 1)) merged.push(range);
		else
			merged[merged.length - 1] = [last[0], last[1] === null || range[1] === null ? null : Math.max(last[1], range[1])];
	}
	return merged.length > MAX_RANGES ? joinNearest(merged) : merged;
}

export function isWhole(shown: readonly LineRange[]): boolean {
	const first = shown[0];
	return first !== undefined && first[0] <= 1 && first[1] === null;
}

/** The ranges of a file with this many lines: a range that covers them all is the whole file. */
export function withLineCount(shown: readonly LineRange[], lines: number): readonly LineRange[] {
	return covers(shown, 1, Math.max(1, lines)) ? WHOLE : shown;
}

export function covers(shown: readonly LineRange[], from: number, to: number): boolean {
	return shown.some((range) => range[0] <= from && (range[1] === null || range[1] >= to));
}

/** The lines between 1 and `lines` that were never shown. */
export function missing(shown: readonly LineRange[], lines: number): LineRange[] {
	const gaps: LineRange[] = [];
	let next = 1;
	for (const [from, to] of shown) {
		if (from > next) gaps.push([next, Math.min(from - 1, lines)]);
		if (to === null) return gaps;
		next = Math.max(next, to + 1);
	}
	if (next <= lines) gaps.push([next, lines]);
	return gaps.filter(([from]) => from <= lines);
}

/** The ranges without the lines shown now. */
export function withoutRanges(ranges: readonly LineRange[], shown: readonly LineRange[]): readonly LineRange[] {
	return shown.reduce<readonly LineRange[]>(
		(left, [from, to]) => left.flatMap((range) => around(range, from, to ?? Number.POSITIVE_INFINITY, 0)),
		ranges,
	);
}

export function addRanges(shown: readonly LineRange[], added: readonly LineRange[]): readonly LineRange[] {
	return added.reduce<readonly LineRange[]>((ranges, range) => addRange(ranges, range), shown);
}

/**
 * After a change by the model itself: its new lines count as shown, and lines below move. Reads the hunk headers of the
 * unified diff; without headers, only the earlier ranges are known.
 */
export function afterDiff(shown: readonly LineRange[], diff: string | undefined): readonly LineRange[] {
	return afterHunks(shown, headsOf(diff), "add");
}

/** The same ranges at their place after a change, without replaced lines. */
export function movedByDiff(ranges: readonly LineRange[], diff: string | undefined): readonly LineRange[] {
	return ranges.length === 0 ? ranges : afterHunks(ranges, headsOf(diff), "leave");
}

interface HunkHead {
	/** The first old line; if there is none, the line that follows the new ones. */
	readonly start: number;
	readonly oldLines: number;
	readonly newLines: number;
}

/** `add`: the new lines of a hunk count too. */
export function afterHunks(
	shown: readonly LineRange[],
	hunks: readonly HunkHead[],
	fresh: "add" | "leave",
): readonly LineRange[] {
	let ranges = shown;
	let moved = 0;
	for (const { oldLines, newLines, ...hunk } of hunks) {
		const start = hunk.start + moved;
		ranges = ranges.flatMap((range) => around(range, start, start + oldLines - 1, newLines - oldLines));
		if (newLines > 0 && fresh === "add") ranges = addRange(ranges, [start, start + newLines - 1]);
		moved += newLines - oldLines;
	}
	return ranges;
}

/** The changed lines of hunks, without the lines around them. */
export function changedRuns(
	hunks: readonly { readonly oldStart: number; readonly lines: readonly string[] }[],
): HunkHead[] {
	return hunks.flatMap(({ oldStart, lines }) => {
		const runs: { start: number; oldLines: number; newLines: number }[] = [];
		let at = oldStart;
		let run: (typeof runs)[number] | undefined;
		for (const line of lines) {
			const mark = line[0];
			if (mark === "\\") continue;
			if (mark === " ") run = undefined;
			else {
				if (!run) {
					run = { start: at, oldLines: 0, newLines: 0 };
					runs.push(run);
				}
				if (mark === "-") run.oldLines++;
				else run.newLines++;
			}
			if (mark !== "+") at++;
		}
		return runs;
	});
}

function headsOf(diff: string | undefined): HunkHead[] {
	return [...(diff ?? "").matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)].map((head) => {
		const oldLines = Number(head[2] ?? 1);
		// A hunk that removes nothing names the line before it.
		return { start: Number(head[1]) + (oldLines === 0 ? 1 : 0), oldLines, newLines: Number(head[3] ?? 1) };
	});
}

/** The parts of a range outside the lines `start` to `end`; lines below move. */
function around([from, to]: LineRange, start: number, end: number, delta: number): LineRange[] {
	const parts: LineRange[] = [];
	if (from < start) parts.push([from, to === null ? start - 1 : Math.min(to, start - 1)]);
	if (end !== Number.POSITIVE_INFINITY && (to === null || to > end))
		parts.push([Math.max(from, end + 1) + delta, to === null ? null : to + delta]);
	return parts;
}

function joinNearest(ranges: readonly LineRange[]): LineRange[] {
	let at = 1;
	let least = Number.POSITIVE_INFINITY;
	for (const [i, [from]] of ranges.entries()) {
		const before = ranges[i - 1];
		const gap = before ? from - (before[1] ?? 0) : Number.POSITIVE_INFINITY;
		if (gap < least) [least, at] = [gap, i];
	}
	const [one, other] = ranges.slice(at - 1, at + 1);
	return one && other ? [...ranges.slice(0, at - 1), [one[0], other[1]], ...ranges.slice(at + 1)] : [...ranges];
}

/** `12`, `12–40`, `12–40 and 90–99`, `…`, for notes. */
export function renderLines(ranges: readonly LineRange[]): string {
	const said = ranges.slice(0, 3).map(([from, to]) => (to === from ? `${from}` : `${from}–${to ?? "end"}`));
	const more = ranges.length > 3 ? [`${ranges.length - 3} more places`] : [];
	const [first, second] = ranges;
	const word = first && !second && first[0] === first[1] ? "line" : "lines";
	return `${word} ${[...said, ...more].join(", ")}`;
}
