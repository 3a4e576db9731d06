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
