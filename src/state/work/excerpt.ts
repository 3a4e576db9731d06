/**
 * The part of a file that is worth showing: the lines around the last change and those read last. The file is read when it
 * is shown, and compared with the text that the log knows. If it differs, the view calls it stale and says what changed,
 * as far as both texts are known. Problems with the file become a remark; nothing here throws.
 */

import { describeDiff } from "../../base/diff/diff-words.ts";
import { writeDiffLines } from "../../base/diff/unified.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { plainText } from "../../base/text/lines.ts";
import type { FileState, ReadRange } from "./file-fold.ts";
import type { FileContent, FileSource, KnownLines } from "./file-source.ts";

export interface Excerpt {
	/** Number of the first line, from 1. */
	readonly from: number;
	readonly lines: readonly string[];
	readonly why: "changed" | "read" | "head";
}

export interface FileView {
	readonly path: string;
	readonly status: "fresh" | "stale" | "unverified" | "recorded" | "deleted" | "unavailable";
	/** For people and models, if the status alone does not say enough. */
	readonly remark: string | null;
	/** The most useful first. They do not overlap. */
	readonly excerpts: readonly Excerpt[];
	/** For a stale file: lines of a unified diff from the known text to the text on disk. */
	readonly diff: readonly string[];
	/** null: not known. */
	readonly lines: number | null;
}

const MAX_EXCERPT_LINES = 200;
const MAX_CHANGED_LINES = 60;
const AROUND_LINES = 5;
const HEAD_LINES = 40;

/** `known`: the files as the log last knew them, to say what changed. */
export function viewFile(file: FileState, files: FileSource, known?: FileSource): FileView {
	const content = files.read(file.path);
	const none = { path: file.path, excerpts: [], diff: [], lines: null } as const;
	switch (content.kind) {
		case "text": {
			const status = freshnessOf(file, content.text, content.hash);
			const lines = toLines(content.text);
			if (status !== "stale") {
				return { ...none, status, remark: null, excerpts: excerptsOf(file, [{ from: 1, lines }]), lines: lines.length };
			}
			const diff = diffSinceKnown(file, known, content.text);
			const remark = `STALE — changed on disk${diff ? `: ${describeLines(diff)}` : `${toldByOthers(file)}, read it again`}`;
			return { ...none, status, remark, diff: diff ?? [], lines: lines.length };
		}
		case "partial":
			return { ...none, status: "recorded", remark: null, excerpts: excerptsOf(file, content.parts) };
		case "deleted":
			return { ...none, status: "deleted", remark: file.deleted ? "deleted" : "STALE — not on disk any more" };
		default:
			return { ...none, status: "unavailable", remark: remarkOn(content) };
	}
}

/** `+3/-1 lines, adds parseDate` */
function describeLines(diff: readonly string[]): string {
	const count = (sign: string) => diff.filter((line) => line.startsWith(sign)).length;
	const names = describeDiff(diff.join("\n"));
	return `+${count("+")}/-${count("-")} lines${names && `, ${names}`}`;
}

/** Describes a foreign change whose texts are unknown, from the log. */
function toldByOthers({ history }: FileState): string {
	const last = history.at(-1);
	if (last?.actor !== "other") return "";
	return `: +${last.added}/-${last.removed ?? "?"} lines${last.what && `, ${last.what}`}`;
}

/** Why no text of a file is shown. */
export function remarkOn(content: Exclude<FileContent, { kind: "text" | "partial" }>): string {
	switch (content.kind) {
		case "deleted":
			return "deleted";
		case "binary":
			return `binary, ${formatBytes(content.bytes)}`;
		case "huge":
			return `too large to show, ${formatBytes(content.bytes)}`;
		case "unreadable":
			return `cannot be read: ${content.reason}`;
		case "outside":
			return "leads out of the project, not shown";
	}
}

function diffSinceKnown(file: FileState, known: FileSource | undefined, now: string): string[] | undefined {
	const content = known?.read(file.path);
	if (content?.kind === "text") return writeDiffLines(plainText(content.text), plainText(now), "whole");
	if (content?.kind !== "partial") return undefined;
	const from = file.ranges.at(-1)?.from ?? 1;
	const part = content.parts.find((each) => from >= each.from && from < each.from + each.lines.length);
	return part && writeDiffLines(plainText(`${part.lines.join("\n")}\n`), plainText(now), "part");
}

function excerptsOf(file: FileState, parts: readonly KnownLines[]): Excerpt[] {
	const wanted = [changedLines(file, parts), ...readLines(file, parts)].filter((range) => range !== undefined);
	if (wanted.length === 0) {
		const first = parts[0];
		return first ? [{ from: first.from, lines: first.lines.slice(0, HEAD_LINES), why: "head" }] : [];
	}
	const taken: Excerpt[] = [];
	for (const { why, ...range } of wanted) {
		for (const free of without(range, taken)) {
			for (const { from, lines } of slices(parts, free.from, free.to)) taken.push({ from, lines, why });
		}
	}
	return taken;
}

interface ExcerptRange {
	readonly from: number;
	readonly to: number;
}
type WantedLines = ExcerptRange & { readonly why: Excerpt["why"] };

/** The lines around the last change. Its text is searched for; the line number is only a hint. */
function changedLines(file: FileState, parts: readonly KnownLines[]): WantedLines | undefined {
	if (!file.spot) return undefined;
	const put = file.spot.text;
	const line = put === null ? file.spot.line : nearest(parts, put, file.spot.line);
	if (line === undefined) return undefined;
	const length = Math.min(Math.max(file.history.at(-1)?.added ?? 1, 1), MAX_CHANGED_LINES);
	return { from: Math.max(1, line - AROUND_LINES), to: line + length - 1 + AROUND_LINES, why: "changed" };
}

function readLines(file: FileState, parts: readonly KnownLines[]): WantedLines[] {
	const [first, ...others] = parts;
	const whole = others.length === 0 && first?.from === 1 ? first.lines : undefined;
	return [...file.ranges].reverse().map((range) => {
		const from = (whole && placeOfRange(file, range, whole)) ?? range.from;
		const length = range.to === null ? MAX_EXCERPT_LINES : range.to - range.from + 1;
		return { from, to: from + Math.min(length, MAX_EXCERPT_LINES) - 1, why: "read" as const };
	});
}

function nearest(parts: readonly KnownLines[], put: string, line: number): number | undefined {
	const wanted = put.split("\n");
	let best: number | undefined;
	for (const { from, lines } of parts) {
		for (const at of lines.keys()) {
			// An edit in the middle of a line puts its text anywhere in that line.
			const here = wanted.every((want, offset) => (lines[at + offset] ?? "\n").includes(want));
			if (!here) continue;
			if (best === undefined || Math.abs(from + at - line) < Math.abs(best - line)) best = from + at;
		}
	}
	return best;
}

/** The parts of a range that are not shown yet. */
function without(range: ExcerptRange, taken: readonly Excerpt[]): ExcerptRange[] {
	let free: ExcerptRange[] = [range];
	for (const { from, lines } of taken) {
		const to = from + lines.length - 1;
		free = free.flatMap((each) => {
			if (to < each.from || from > each.to) return [each];
			const above = { from: each.from, to: from - 1 };
			const below = { from: to + 1, to: each.to };
			return [above, below].filter((piece) => piece.from <= piece.to);
		});
	}
	return free;
}

function slices(parts: readonly KnownLines[], from: number, to: number): KnownLines[] {
	const found: KnownLines[] = [];
	for (const part of parts) {
		const start = Math.max(from, part.from);
		const lines = part.lines.slice(start - part.from, Math.max(0, to - part.from + 1));
		if (lines.length > 0) found.push({ from: start, lines });
	}
	return found;
}

/** Without carriage returns, which models do not edit. A final line break does not start another line. */
export function toLines(text: string): string[] {
	const lines = plainText(text).split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

type Freshness = "fresh" | "stale" | "unverified";

const MAX_SHIFTED_CHARS = 200_000;

function freshnessOf(file: FileState, text: string, hash: string): Freshness {
	if (file.hash !== null) {
		if (hash === file.hash || sha256(plainText(text)) === file.hash) return "fresh";
		// Only lines read after the hash was taken can still be right: the agent has seen that the file changed.
		if (file.lastReadSeq <= file.hashSeq) return "stale";
	}
	if (file.lastChangeSeq > file.lastReadSeq && lastActor(file) !== "other") {
		const put = file.spot?.text ?? null;
		if (put === null) return "unverified";
		return plainText(text).includes(plainText(put)) ? "fresh" : "stale";
	}
	const range = file.ranges.at(-1);
	if (!range || range.hash === "" || range.to === null) return "unverified";
	return placeOfRange(file, range, plainText(text).split("\n")) === undefined ? "stale" : "fresh";
}

/** The line where a range now begins, given the agent's own changes since it was read. Undefined: it is gone. */
function placeOfRange(file: FileState, range: ReadRange, lines: readonly string[]): number | undefined {
	if (range.to === null) return undefined;
	const length = range.to - range.from + 1;
	for (const shift of shiftsSince(file, range.seq)) {
		const from = range.from + shift;
		if (from < 1 || length < 1 || from - 1 + length > lines.length) continue;
		const slice = lines.slice(from - 1, from - 1 + length).join("\n");
		if (shift !== 0 && slice.length > MAX_SHIFTED_CHARS) continue;
		if (sha256(slice) === range.hash || sha256(`${slice}\n`) === range.hash) return from;
	}
	return undefined;
}

/** Each change since then may lie above the range and move it. Tries all combinations, beginning with none. */
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
