/**
 * The Warp context: the current state as one text, within a budget. Sections get their room by weight (header and
 * footer, failures, decisions, working set, the rest) and appear in the document's order. Pure: the same state, files,
 * budget and time give the same bytes.
 */

import { plural } from "../../base/text/bytes.ts";
import { cutToBytes } from "../../base/text/cut.ts";
import { shortAge } from "../../base/text/time.ts";
import { bytesOfTokens } from "../../base/tokens/estimate.ts";
import { nameAtStart, wordsInLine } from "../../message/enclosure.ts";
import { correctedThread } from "../../state/thread/corrected-elsewhere.ts";
import { type FileView, viewFile } from "../../state/work/excerpt.ts";
import { type FileState, fileHandle } from "../../state/work/file-fold.ts";
import type { FileSource } from "../../state/work/file-source.ts";
import type { WorkState } from "../../state/work/work-state.ts";
import { type ScoredFile, scoreFiles, WORKING_SET_FILES } from "../../state/work/working-set.ts";
import type { ProjectState } from "../project-state.ts";
import { renderBlocks, renderDecisions, renderProgress } from "./facts.ts";
import { renderFailures, renderResolved } from "./failures.ts";
import { renderFooter, renderWarpHeader } from "./header.ts";
import { type FilePiece, fileItem, joinPieces, MAX_LEFT_OUT, showLines } from "./pieces.ts";
import {
	bytesOf,
	bytesTaken,
	type ComposedSeed,
	type ContextItem,
	isOurTool,
	joinSections,
	LineRoom,
	makeSection,
	NO_ROOM,
	type Section,
	type SectionStyle,
} from "./section.ts";
import { renderStanding } from "./thread.ts";

/** Characters inside a line that some readers take for a line break. */
const INNER_BREAK = /[\r\v\f\u0085\u2028\u2029](?=.)/gs;

interface WarpInput {
	readonly state: ProjectState;
	/** The texts of the files, read while rendering. */
	readonly files: FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: FileSource | undefined;
	/** The messages after it; their words are not repeated. */
	readonly raw?: string | undefined;
	/** Tokens that the text may take. */
	readonly budget: number;
	/** Tokens of the model's window, shown beside the budget. */
	readonly window?: number | undefined;
	/** For ages; ms since the epoch. */
	readonly now: number;
	/** The session of the intent and the progress; by default the current one. */
	readonly session?: string | undefined;
	/** The repository's name, if the session's folder does not give it. */
	readonly repository?: string | undefined;
	/** How many files the working set has at most. */
	readonly workingSetFiles?: number | undefined;
	/** False: the agent cannot call our tools. */
	readonly namesTools?: boolean | undefined;
}

/** Enough for the header, the footer and the shortest list of failures. */
export const MIN_BUDGET_TOKENS = 250;

/** Of the room left at each section's turn. These are Warp's. */
const SHARES = { standing: 0.12, failures: 0.35, decisions: 0.2, files: 0.75, rest: 1 } as const;

export function renderWarp(input: WarpInput): ComposedSeed {
	const { state, files, known, workingSetFiles: most } = input;
	const session = input.session ?? state.sessions.current;
	const style = warpStyle(input.now, input.namesTools);
	const budget = Math.max(input.budget, MIN_BUDGET_TOKENS);
	const bytes = bytesOfTokens(budget);
	const header = renderWarpHeader(state, session, input.repository, { budget, window: input.window });
	const footer = renderFooter(style);
	let left = bytes - bytesTaken(header) - bytesTaken(footer);
	const within = (share: keyof typeof SHARES, render: (bytes: number) => Section): Section => {
		const section = render(left * SHARES[share] - 1);
		left -= bytesTaken(section);
		return section;
	};
	const standing = within("standing", (room) => {
		const thread = session === null ? undefined : correctedThread(state.thread, session);
		return renderStanding(
			{
				thread,
				session: session ?? "",
				decisions: state.decisions,
				notes: [],
				remembered: state.remembered,
				raw: input.raw ?? "",
			},
			style,
			room,
		);
	});
	const failures = within("failures", (room) => {
		const { failures } = state.failures;
		// Always present, as the document asks.
		if (failures.open.length === 0) return makeSection("failures", ["Open Failures (0): none"], []);
		return renderFailures(failures, style, room);
	});
	const decisions = within("decisions", (room) => renderDecisions(state.decisions, style, room));
	const set = within("files", (room) => renderScoredFiles({ state, session, files, known, most }, style, room));
	const rest = [
		within("rest", (room) => renderResolved(state.failures.failures, state.files, style, room)),
		within("rest", (room) => renderBlocks(state.verdicts, style, room)),
		within("rest", (room) => renderProgress(state.progress, session, style, room)),
	];
	return joinSections([header, standing, set, failures, decisions, ...rest, footer], "\n");
}

function warpStyle(now: number, namesTools = true): SectionStyle {
	return {
		heading: (title) => `${title}:`,
		notice: (words, way = "lcm_grep") => `  … ${namesTools || !isOurTool(way) ? `${words}: ${way}` : words}`,
		reference: (handle) => (namesTools ? ` [${handle}]` : ""),
		pieceHeading: (from, count) => [`  Lines ${from}-${from + count - 1}:`],
		quote: (line) => `|${line.replace(INNER_BREAK, "$&|")}`,
		namesTools,
		now,
	};
}

const PATH_BYTES = 300;
const REMARK_BYTES = 300;
const WHAT_BYTES = 200;
const MAX_DIFF_LINES = 40;
const NOTICE_BYTES = 140;
/** A smaller piece is not worth its heading. */
const MIN_PIECE_BYTES = 160;

interface ScoredFilesInput {
	readonly state: WorkState;
	readonly session: string | null;
	/** The texts of the files, read while rendering. */
	readonly files: FileSource;
	/** The texts as the log knew them, to say what changed in a stale file. */
	readonly known?: FileSource | undefined;
	/** How many files are shown at most. */
	readonly most?: number | undefined;
}

/**
 * Warp's working set: the files at work, with their current text. Every file of the set gets its line first; the rest of
 * the share goes to excerpts, best file first, each at most one and a half times an equal part.
 */
function renderScoredFiles(input: ScoredFilesInput, style: SectionStyle, bytes: number): Section {
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
