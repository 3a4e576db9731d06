/**
 * The files at work, with their text as it is now. Every file of the set gets its line first; what is left of the share
 * goes to excerpts, to the best file first, each at most half as much again as an equal part.
 */

import { handleOf } from "../../../log/handle.ts";
import { shortAge } from "../../../text/age.ts";
import { plural } from "../../../text/bytes.ts";
import { oneLine } from "../../../text/printable.ts";
import { truncateUnits } from "../../../text/truncate.ts";
import { type Excerpt, type FileView, viewFile } from "../../../work/excerpt.ts";
import type { FileState } from "../../../work/file-fold.ts";
import { type ScoredFile, scoreFiles, WORKING_SET_FILES } from "../../../work/working-set.ts";
import { bytesOf, type ContextItem, cutToBytes, Room, type Section, tokensOf } from "../section.ts";
import type { WarpInput } from "./input.ts";

const PATH_BYTES = 300;
const MAX_LINE_CHARS = 500;
const MAX_DIFF_LINES = 40;
const MOST_LEFT_OUT = 12;
const NOTICE_BYTES = 140;
/** As long as a heading gets. */
const EXCERPT_HEADING = "  Lines 1000000-1000000:";
/** Less than this of an excerpt is not worth its heading. */
const LEAST_EXCERPT_BYTES = 160;

export function renderWorkingSet(input: WarpInput, session: string | null, bytes: number): Section {
	const scored = scoreFiles(input.state, session);
	const chosen = scored.slice(0, input.workingSetFiles ?? WORKING_SET_FILES);
	if (chosen.length === 0) return { lines: [], items: [] };
	const room = new Room(bytes - NOTICE_BYTES - bytesOf(["", title(chosen.length)]));
	const blocks: { readonly scored: ScoredFile; readonly view: FileView; readonly lines: string[] }[] = [];
	const items: ContextItem[] = [];
	for (const each of chosen) {
		const view = viewFile(each.file, input.files, input.known);
		const lines = heads(each.file, view, input.now);
		if (room.add(...lines)) blocks.push({ scored: each, view, lines });
		else items.push(item(each, lines, "the section's share was used up"));
	}
	let left = room.left;
	for (const [index, block] of blocks.entries()) {
		const part = new Room(Math.min(left, (left / (blocks.length - index)) * 1.5));
		body(block.view, part);
		left -= bytesOf(part.lines);
		block.lines.push(...part.lines);
	}
	const ledger = input.state.files.count;
	const more = ledger - blocks.length;
	const bare = blocks.filter(({ view, lines }) => view.excerpts.length > 0 && lines.length <= 2).length;
	const notice = [
		...(bare > 0 ? [`  … no room for the text of ${plural(bare, "file")}: read them`] : []),
		...(more > 0 ? [`  … ${plural(more, "more file")} read or changed: weft state`] : []),
	];
	for (const each of scored.slice(chosen.length, chosen.length + MOST_LEFT_OUT)) {
		items.push(item(each, [], `below the ${chosen.length} best`));
	}
	if (blocks.length === 0) return { lines: [], items };
	return {
		lines: ["", title(blocks.length), ...blocks.flatMap((block) => block.lines), ...notice],
		items: [...blocks.map((block) => item(block.scored, block.lines)), ...items],
	};
}

function title(files: number): string {
	return `Working Set (${plural(files, "file")}):`;
}

function item({ file, score, why }: ScoredFile, lines: readonly string[], leftOut?: string): ContextItem {
	const reasons = `${why.join("; ")}; score ${score}`;
	return {
		id: `file:${file.path}`,
		kind: "file",
		tokens: tokensOf(lines),
		why: leftOut === undefined ? reasons : `${leftOut}: ${reasons}`,
		included: leftOut === undefined,
		handle: file.last ? handleOf(file.last) : undefined,
	};
}

function heads(file: FileState, view: FileView, now: number): string[] {
	const notes = [
		file.lastReadSeq > 0 ? `read ${shortAge(file.lastReadTs, now)}` : "",
		file.lastChangeSeq > 0 ? `changed ${shortAge(file.lastChangeTs, now)}` : "",
		view.remark ?? "",
	].filter((note) => note !== "");
	const lines = [`${cutToBytes(oneLine(file.path), PATH_BYTES)} (${notes.join(", ")})`];
	const last = file.history.at(-1);
	if (last) {
		const total = file.changes > 1 ? `; ${file.changes} changes, +${file.added}/-${file.removed} in all` : "";
		const by =
			last.actor === "agent" ? last.kind : `${last.kind} by ${last.actor === "shell" ? "a command" : "somebody else"}`;
		lines.push(`  Diff: +${last.added}/-${last.removed ?? "?"} lines (${by}${total})`);
	}
	return lines;
}

function body(view: FileView, room: Room): void {
	if (view.diff.length > 0) {
		const shown = view.diff.slice(0, MAX_DIFF_LINES);
		fill(room, "  What changed:", shown, (left) => `  … ${left} more lines of the difference: read the file`);
		return;
	}
	const all = inOrder(view.excerpts);
	const bytes = all.reduce((sum, { lines }) => sum + bytesOf(lines) + lines.length + bytesOf([EXCERPT_HEADING]), 0);
	// Where all of it fits it stands in the file's order; else the most telling comes first and the rest is cut.
	for (const excerpt of bytes <= room.left ? all : view.excerpts) if (!show(excerpt, room)) return;
}

/** By line, with neighbours joined. */
function inOrder(excerpts: readonly Excerpt[]): Excerpt[] {
	const joined: Excerpt[] = [];
	for (const excerpt of [...excerpts].sort((one, other) => one.from - other.from)) {
		const last = joined.at(-1);
		if (last && last.from + last.lines.length === excerpt.from) {
			joined[joined.length - 1] = { ...last, lines: [...last.lines, ...excerpt.lines] };
		} else {
			joined.push(excerpt);
		}
	}
	return joined;
}

/** False: it was cut, so nothing more goes in. */
function show({ from, lines }: Excerpt, room: Room): boolean {
	if (room.left < LEAST_EXCERPT_BYTES) return false;
	const heading = (count: number) => `  Lines ${from}-${from + count - 1}:`;
	const notice = (left: number) => `  … ${plural(left, "more line")}, to ${from + lines.length - 1}: read the file`;
	return fill(room, heading, lines, notice);
}

/** A heading and as many lines as fit, with a word on the rest. */
function fill(
	room: Room,
	heading: string | ((count: number) => string),
	lines: readonly string[],
	notice: (left: number) => string,
): boolean {
	const head = typeof heading === "string" ? heading : heading(lines.length);
	const reserve = bytesOf([head, notice(lines.length)]);
	const fitting: string[] = [];
	let bytes = 0;
	for (const line of lines) {
		const shown = `|${truncateUnits(line.toWellFormed(), MAX_LINE_CHARS)}`;
		bytes += bytesOf([shown]);
		if (bytes + reserve > room.left) break;
		fitting.push(shown);
	}
	if (fitting.length === 0) return false;
	const left = lines.length - fitting.length;
	room.add(
		typeof heading === "string" ? heading : heading(fitting.length),
		...fitting,
		...(left > 0 ? [notice(left)] : []),
	);
	return left === 0;
}
