/**
 * The working set of a seed: pieces of the files as they are now, around what was read, changed or named last. Every line
 * of a file gets a heat from the touches near it; files are cut into chunks, and the hottest chunks of all files are
 * shown, in the order of the file. The first lines of a file, where its imports stand, are warmer than their touches say.
 */

import { getRecent, newestFirst } from "../../../fold/keyed.ts";
import { bytesOfTokens } from "../../../tokens/estimate.ts";
import type { FileContent, FileSource } from "../../../work/file-source.ts";
import type { Touch, TouchState } from "../../../work/touch-fold.ts";
import { makeSection, type Section } from "./section.ts";

const MOST_FILES = 24;
const CHUNK_LINES = 30;
/** What a chunk gets of the heat of those beside it: an edit seldom stops at a chunk's edge. */
const NEIGHBOUR_SHARE = 0.25;
const EDIT_HALF_LIFE_MESSAGES = 300;
const READ_HALF_LIFE_MESSAGES = 200;
const CHANGE_WEIGHT = 3;
const READ_WEIGHT = 1;
const HEAD_BONUS = 0.8;
const NAMED_BONUS = 1.5;
const MAX_LINE_CHARS = 400;

export interface WorkingSetInput {
	readonly touches: TouchState;
	readonly files: FileSource;
	/** The messages that stay raw: what stands there need not stand in the seed. */
	readonly raw: string;
	/** Words of the newest user messages: what is named there is warm. */
	readonly named: ReadonlySet<string>;
	readonly budget: number;
}

interface Chunk {
	readonly path: string;
	readonly from: number;
	readonly lines: readonly string[];
	readonly score: number;
	readonly bytes: number;
}

export function workingSetSection(input: WorkingSetInput): Section | undefined {
	const ranked = rankFiles(input).slice(0, MOST_FILES);
	const notes: string[] = [];
	const chunks: Chunk[] = [];
	for (const { path, score } of ranked) {
		const content = input.files.read(path);
		const note = cannotShow(path, content);
		if (note) notes.push(note);
		chunks.push(...chunksOf(path, content, score, getRecent(input.touches.touches, path) ?? [], input));
	}
	const chosen = choose(chunks, bytesOfTokens(input.budget));
	if (chosen.length === 0) return undefined;
	const order = ranked.map((file) => file.path);
	const body = order.flatMap((path) =>
		render(
			path,
			chosen.filter((chunk) => chunk.path === path),
		),
	);
	const left = chunks.length - chosen.length;
	const end = left > 0 ? [`[${left} more pieces of these files are not shown: read the file]`] : [];
	return makeSection("files", ["## Files as they are now (pieces)", ...notes, ...body, ...end].join("\n"), left);
}

/** Files by the heat of their touches, log-compressed so that one much-edited file does not drown the others. */
function rankFiles({ touches, named }: WorkingSetInput): { path: string; score: number }[] {
	const files = [...newestFirst(touches.touches)].map(([path, each]) => {
		const heat = each.reduce((sum, touch) => sum + heatOf(touch, touches.messages), 0);
		const base = path.slice(path.lastIndexOf("/") + 1);
		const mention = named.has(path) || named.has(base) || named.has(base.replace(/\.[^.]+$/, "")) ? NAMED_BONUS : 0;
		return { path, score: Math.log1p(heat) + mention };
	});
	return files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

function heatOf(touch: Touch, now: number): number {
	const age = now - touch.at;
	return touch.kind === "change"
		? CHANGE_WEIGHT * 0.5 ** (age / EDIT_HALF_LIFE_MESSAGES)
		: READ_WEIGHT * 0.5 ** (age / READ_HALF_LIFE_MESSAGES);
}

function chunksOf(
	path: string,
	content: FileContent,
	fileScore: number,
	touches: readonly Touch[],
	input: WorkingSetInput,
): Chunk[] {
	const parts =
		content.kind === "text"
			? [{ from: 1, lines: content.text.split("\n") }]
			: content.kind === "partial"
				? content.parts
				: [];
	return parts.flatMap((part) => {
		const heat = lineHeat(part.from, part.lines, touches, input.touches.messages);
		const chunks: Chunk[] = [];
		for (let at = 0; at < part.lines.length; at += CHUNK_LINES) {
			const lines = part.lines.slice(at, at + CHUNK_LINES).map(shorten);
			const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
			if (bytes <= lines.length || input.raw.includes(lines.join("\n"))) continue;
			const touched = average(heat.slice(at, at + CHUNK_LINES));
			const head = part.from + at === 1 ? HEAD_BONUS : 0;
			const score = (touched + head + mentions(lines, input.named)) * fileScore;
			chunks.push({ path, from: part.from + at, lines, score, bytes });
		}
		return chunks.map((chunk, n) => {
			const beside = (chunks[n - 1]?.score ?? 0) + (chunks[n + 1]?.score ?? 0);
			return { ...chunk, score: chunk.score + NEIGHBOUR_SHARE * beside };
		});
	});
}

/** The heat of each line: what touched it, and less of what touched its neighbours. */
function lineHeat(from: number, lines: readonly string[], touches: readonly Touch[], now: number): Float64Array {
	const heat = new Float64Array(lines.length);
	for (const touch of touches) {
		const weight = heatOf(touch, now);
		const found = touch.text === null ? -1 : lines.indexOf(touch.text);
		const shift = found >= 0 ? found + from - touch.from : 0;
		const first = Math.max(0, touch.from + shift - from);
		const last = Math.min(lines.length - 1, touch.to === null ? lines.length - 1 : touch.to + shift - from);
		// A long read says little of each of its lines.
		const share = touch.kind === "read" ? Math.min(1, 120 / Math.max(1, last - first + 1)) : 1;
		for (let line = first; line <= last; line++) heat[line]! += weight * share;
		const spread = touch.kind === "change" ? 12 : 4;
		for (let away = 1; away <= spread; away++) {
			const side = weight * share * (1 - away / (spread + 1));
			if (first - away >= 0) heat[first - away]! += side;
			if (last + away < lines.length) heat[last + away]! += side;
		}
	}
	return heat;
}

function mentions(lines: readonly string[], named: ReadonlySet<string>): number {
	if (named.size === 0) return 0;
	const found = new Set<string>();
	for (const line of lines) {
		for (const [word] of line.matchAll(/[A-Za-z_$][\w$]{3,}/g)) if (named.has(word)) found.add(word);
	}
	return Math.min(1.5, found.size * 0.4);
}

/** The best chunks that fit, by score for their size. */
function choose(chunks: readonly Chunk[], most: number): Chunk[] {
	const sorted = chunks.toSorted(
		(a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.from - b.from),
	);
	const chosen: Chunk[] = [];
	const headed = new Set<string>();
	let bytes = 200;
	for (const chunk of sorted) {
		const size = chunk.bytes + 24 + (headed.has(chunk.path) ? 0 : chunk.path.length + 8);
		if (bytes + size > most) continue;
		bytes += size;
		headed.add(chunk.path);
		chosen.push(chunk);
	}
	return chosen;
}

function render(path: string, chunks: readonly Chunk[]): string[] {
	if (chunks.length === 0) return [];
	const lines = [`### ${path}`];
	let end = 0;
	for (const chunk of chunks.toSorted((a, b) => a.from - b.from)) {
		if (chunk.from !== end + 1) lines.push(`[from line ${chunk.from}]`);
		lines.push(...chunk.lines);
		end = chunk.from + chunk.lines.length - 1;
	}
	return lines;
}

function cannotShow(path: string, content: FileContent): string | undefined {
	switch (content.kind) {
		case "deleted":
			return `${path}: deleted`;
		case "binary":
		case "huge":
			return `${path}: ${content.kind}, ${content.bytes} bytes; not shown`;
		case "unreadable":
			return `${path}: cannot be read (${content.reason})`;
		case "outside":
			return `${path}: outside the project; not shown`;
		default:
			return undefined;
	}
}

function shorten(line: string): string {
	return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()}…` : line;
}

function average(values: Float64Array): number {
	return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
