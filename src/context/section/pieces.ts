/**
 * Pieces of files, as both texts show them. They are chosen in two ways: warp shows a few files, each with its newest
 * lines and whether it is stale (`scored-files.ts`); the seed spreads a large budget over the hottest chunks of many
 * files (`warm-files.ts`).
 */
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { type ContextItem, tokensOf } from "./section.ts";

export interface FilePiece {
	/** Number of the first line, from 1. */
	readonly from: number;
	readonly lines: readonly string[];
}

const MAX_LINE_CHARS = 400;
/** Files that were not chosen but are named among the items. */
export const MAX_LEFT_OUT = 12;

/** Lines of a file as they are shown. */
export function showLines(lines: readonly string[]): string[] {
	return lines.map((line) => cutWithEllipsis(line.toWellFormed(), MAX_LINE_CHARS));
}

/** In the order of the file, with neighbours joined. */
export function joinPieces(pieces: readonly FilePiece[]): FilePiece[] {
	const joined: FilePiece[] = [];
	for (const piece of pieces.toSorted((one, other) => one.from - other.from)) {
		const last = joined.at(-1);
		if (last && last.from + last.lines.length === piece.from) {
			joined[joined.length - 1] = { from: last.from, lines: [...last.lines, ...piece.lines] };
		} else {
			joined.push(piece);
		}
	}
	return joined;
}

export function fileItem(
	path: string,
	handle: string | undefined,
	lines: readonly string[],
	reasons: string,
	leftOut?: string,
): ContextItem {
	const why = leftOut === undefined ? reasons : `${leftOut}: ${reasons}`;
	return { id: `file:${path}`, kind: "file", tokens: tokensOf(lines), why, included: leftOut === undefined, handle };
}

/** Cuts the lines of a file into chunks that end where a declaration ends, judging by indentation and blank lines. */

const MIN_LINES = 14;
const USUAL_LINES = 30;
const MAX_LINES = 46;

/** Where each chunk begins, from 0. */
export function chunkStarts(lines: readonly string[]): number[] {
	const starts = lines.length === 0 ? [] : [0];
	for (let at = 0; lines.length - at > MAX_LINES; ) {
		let [best, most] = [at + USUAL_LINES, Number.NEGATIVE_INFINITY];
		for (let next = at + MIN_LINES; next <= at + MAX_LINES; next++) {
			const score = beginning(lines, next) - Math.abs(next - at - USUAL_LINES) / 15;
			if (score > most) [best, most] = [next, score];
		}
		starts.push(best);
		at = best;
	}
	return starts;
}

const CLOSING = /^\s*(?:[)\]}>;,]+|end\b|<\/|else\b|elif\b|except\b|finally\b|catch\b)/;

/** How much a line looks like the beginning of something. */
function beginning(lines: readonly string[], at: number): number {
	const line = lines[at] ?? "";
	const text = line.trimStart();
	if (text === "") return -4;
	const indent = line.length - text.length;
	const isIndented = indent > 0 && (line[0] === "\t" ? indent : indent / 2);
	const afterBlank = (lines[at - 1] ?? "").trim() === "" ? 2 : 0;
	return afterBlank + 3 - Math.min(4, Number(isIndented)) - (CLOSING.test(line) ? 4 : 0);
}
