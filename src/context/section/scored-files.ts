/**
 * Warp's working set: the files at work, with their current text. Every file of the set gets its line first; the rest of
 * the share goes to excerpts, best file first, each at most one and a half times an equal part.
 */
import { shortAge } from "../../base/text/age.ts";
import { plural } from "../../base/text/bytes.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { nameAtStart, wordsInLine } from "../../message/enclosure.ts";
import { type FileView, viewFile } from "../../state/work/excerpt.ts";
import { type FileState, fileHandle } from "../../state/work/file-fold.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import { type ScoredFile, scoreFiles, WORKING_SET_FILES } from "../../state/work/working-set.ts";
import { type FilePiece, fileItem, joinPieces, MAX_LEFT_OUT, showLines } from "./pieces.ts";
import {
	bytesOf,
	type ContextItem,
	LineRoom,
	makeSection,
	NO_ROOM,
	type Section,
	type SectionStyle,
} from "./section.ts";

const PATH_BYTES = 300;
const REMARK_BYTES = 300;
const WHAT_BYTES = 200;
const MAX_DIFF_LINES = 40;
const NOTICE_BYTES = 140;
/** A smaller piece is not worth its heading. */
const MIN_PIECE_BYTES = 160;

export interface ScoredFilesInput {
	readonly state: WorkState;
	readonly session: string | null;
	/** The texts of the files, read while rendering. */
	readonly files: FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: FileSource | undefined;
	/** How many files are shown at most. */
	readonly most?: number | undefined;
}

export function renderScoredFiles(input: ScoredFilesInput, style: SectionStyle, bytes: number): Section {
	const scored = scoreFiles(input.state, input.session);
	const chosen = scored.slice(0, input.most ?? WORKING_SET_FILES);
	const title = (files: number) => style.heading(`Working Set (${plural(files, "file")})`);
	const room = new LineRoom(bytes - NOTICE_BYTES - bytesOf([title(chosen.length)]));
	const blocks: { readonly scored: ScoredFile; readonly view: FileView; readonly lines: string[] }[] = [];
	const leftOut: ContextItem[] = [];
	for (const each of chosen) {
		const view = viewFile(each.file, input.files, input.known);
		const lines = heads(each.file, view, style);
		if (room.add(...lines)) blocks.push({ scored: each, view, lines });
		else leftOut.push(scoredItem(each, lines, NO_ROOM));
	}
	let { free } = room;
	for (const [index, { view, lines }] of blocks.entries()) {
		const part = new LineRoom(Math.min(free, (free / (blocks.length - index)) * 1.5));
		fillFile(part, view, style);
		free -= bytesOf(part.lines);
		lines.push(...part.lines);
	}
	for (const each of scored.slice(chosen.length, chosen.length + MAX_LEFT_OUT)) {
		leftOut.push(scoredItem(each, [], `below the ${chosen.length} best`));
	}
	const left = input.state.files.count - blocks.length;
	if (blocks.length === 0) return makeSection("files", [], leftOut, left);
	const bare = blocks.filter(({ view, lines }) => view.excerpts.length > 0 && lines.length <= 2).length;
	const notices = [
		...(bare > 0 ? [style.notice(`no room for the text of ${plural(bare, "file")}`, "read them")] : []),
		...(left > 0 ? [style.notice(`${plural(left, "more file")} read or changed`)] : []),
	];
	return makeSection(
		"files",
		[title(blocks.length), ...blocks.flatMap(({ lines }) => lines), ...notices],
		[...blocks.map((block) => scoredItem(block.scored, block.lines)), ...leftOut],
		left,
	);
}

function scoredItem({ file, score, why }: ScoredFile, lines: readonly string[], leftOut?: string): ContextItem {
	return fileItem(file.path, fileHandle(file), lines, `${why.join("; ")}; score ${score}`, leftOut);
}

function heads(file: FileState, view: FileView, { now }: SectionStyle): string[] {
	const notes = [
		file.lastReadSeq > 0 ? `read${now === undefined ? "" : ` ${shortAge(file.lastReadTs, now)}`}` : "",
		file.lastChangeSeq > 0 ? `changed${now === undefined ? "" : ` ${shortAge(file.lastChangeTs, now)}`}` : "",
		cutToBytes(wordsInLine(view.remark ?? ""), REMARK_BYTES),
	].filter((note) => note !== "");
	const lines = [`${cutToBytes(nameAtStart(wordsInLine(file.path)), PATH_BYTES)} (${notes.join(", ")})`];
	const last = file.history.at(-1);
	if (last) {
		const total = file.changes > 1 ? `; ${file.changes} changes, +${file.added}/-${file.removed} in all` : "";
		const by =
			last.actor === "agent" ? last.kind : `${last.kind} by ${last.actor === "shell" ? "a command" : "somebody else"}`;
		const what = cutToBytes(wordsInLine(last.what), WHAT_BYTES);
		lines.push(`  Diff: +${last.added}/-${last.removed ?? "?"} lines (${what ? `${what}; ` : ""}${by}${total})`);
	}
	return lines;
}

function fillFile(room: LineRoom, { diff, excerpts }: FileView, style: SectionStyle): void {
	if (diff.length > 0) {
		const notice = (left: number) => style.notice(`${left} more lines of the difference`, "read the file");
		fill(room, () => ["  What changed:"], diff.slice(0, MAX_DIFF_LINES), notice, style);
		return;
	}
	const all = joinPieces(excerpts);
	const bytes = all.reduce((sum, { from, lines }) => {
		return sum + bytesOf([...style.pieceHeading(from, lines.length), ...lines.map(style.quote)]);
	}, 0);
	// In the file's order if everything fits; else the most telling piece first, and the rest is cut.
	for (const piece of bytes <= room.free ? all : excerpts) if (!fillPiece(room, piece, style)) return;
}

/** False: it was cut, so nothing more fits. */
function fillPiece(room: LineRoom, { from, lines }: FilePiece, style: SectionStyle): boolean {
	if (room.free < MIN_PIECE_BYTES) return false;
	const to = from + lines.length - 1;
	const notice = (left: number) => style.notice(`${plural(left, "more line")}, to ${to}`, "read the file");
	return fill(room, (count) => style.pieceHeading(from, count), lines, notice, style);
}

/** A heading and as many lines as fit, with a notice of the rest. */
function fill(
	room: LineRoom,
	heading: (count: number) => readonly string[],
	lines: readonly string[],
	notice: (left: number) => string,
	style: SectionStyle,
): boolean {
	const part = new LineRoom(room.free - bytesOf([...heading(lines.length), notice(lines.length)]));
	for (const line of showLines(lines)) if (!part.add(style.quote(line))) break;
	const fitting = part.lines;
	if (fitting.length === 0) return false;
	const left = lines.length - fitting.length;
	room.add(...heading(fitting.length), ...fitting, ...(left > 0 ? [notice(left)] : []));
	return left === 0;
}
