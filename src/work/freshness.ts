/**
 * Is the text of a file still what the log last knew of it? By the hash of the whole file where there is one, else by
 * the lines that were read or the text that was put in last. Pure.
 */
import { sha256 } from "../hash/sha256.ts";
import type { FileState, ReadRange } from "./file-fold.ts";

export type Freshness = "fresh" | "stale" | "unverified";

const MOST_SHIFTED_CHARS = 200_000;

export function freshnessOf(file: FileState, text: string, hash: string): Freshness {
	if (file.hash !== null) {
		if (hash === file.hash || sha256(lineFeeds(text)) === file.hash) return "fresh";
		// Only lines that were read after that can still be right: the agent has seen that the file is another.
		if (file.lastReadSeq <= file.hashSeq) return "stale";
	}
	if (file.lastChangeSeq > file.lastReadSeq && lastActor(file) !== "other") {
		const put = file.spot?.text ?? null;
		if (put === null) return "unverified";
		return lineFeeds(text).includes(lineFeeds(put)) ? "fresh" : "stale";
	}
	const range = file.ranges.at(-1);
	if (!range || range.hash === "" || range.to === null) return "unverified";
	return placeOfRange(file, range, lineFeeds(text).split("\n")) === undefined ? "stale" : "fresh";
}

/** The line where a range that was read stands now, its own changes since counted in; undefined: it is there no more. */
export function placeOfRange(file: FileState, range: ReadRange, lines: readonly string[]): number | undefined {
	if (range.to === null) return undefined;
	const length = range.to - range.from + 1;
	for (const shift of shiftsSince(file, range.seq)) {
		const from = range.from + shift;
		if (from < 1 || length < 1 || from - 1 + length > lines.length) continue;
		const slice = lines.slice(from - 1, from - 1 + length).join("\n");
		if (shift !== 0 && slice.length > MOST_SHIFTED_CHARS) continue;
		if (sha256(slice) === range.hash || sha256(`${slice}\n`) === range.hash) return from;
	}
	return undefined;
}

/** Each change since stood above the range and moved it, or did not: every sum of some of them, none first. */
function shiftsSince(file: FileState, seq: number): Set<number> {
	const shifts = new Set([0]);
	for (const note of file.history) {
		if (note.seq <= seq || note.removed === null) continue;
		for (const shift of [...shifts]) shifts.add(shift + note.added - note.removed);
	}
	return shifts;
}

function lastActor(file: FileState): string | undefined {
	return file.history.at(-1)?.actor;
}

function lineFeeds(text: string): string {
	return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
