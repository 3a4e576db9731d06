/**
 * The working set of a seed: pieces of the files as they are now, around the lines that were read, changed or named
 * last. Every line of a file gets heat from the touches near it; files are cut into chunks, and the hottest chunks of
 * all files are shown, in the order of the file. The first lines of a file, with its imports, are warmer than their
 * touches alone.
 */

import { plural } from "../../base/text/bytes.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { getKey, getRecent, newestFirst } from "../../log/fold/keyed.ts";
import { ENCLOSURE_BYTES, enclose, isLikeOurs, nameAtStart, nameInLine } from "../../message/enclosure.ts";
import { declarationsIn } from "../../state/history/outline/outline.ts";
import { remarkOn, toLines } from "../../state/work/excerpt.ts";
import { type FilesState, fileHandle, spellingOf } from "../../state/work/file-fold.ts";
import type { FileContent, FileSource, KnownLines } from "../../state/work/file-source.ts";
import { baseName } from "../../state/work/project-path.ts";
import type { Touch, TouchState } from "../../state/work/touch-fold.ts";
import { chunkStarts, type FilePiece, fileItem, joinPieces, MAX_LEFT_OUT, showLines } from "./pieces.ts";
import { bytesOf, makeSection, NO_ROOM, type Section, type SectionStyle } from "./section.ts";

const MAX_FILES = 24;
const IDENTIFIER = /[A-Za-z_$][\w$]{3,}/g;
/** The share of its neighbours' heat that a chunk gets: an edit seldom stops at a chunk's edge. */
const NEIGHBOUR_SHARE = 0.25;
const EDIT_HALF_LIFE_MESSAGES = 300;
const READ_HALF_LIFE_MESSAGES = 200;
const CHANGE_WEIGHT = 3;
const READ_WEIGHT = 1;
const HEAD_BONUS = 0.8;
const NAMED_BONUS = 1.5;
const FORBIDDEN_SHARE = 0.1;

/** Of the section: for the outlines of files of which no piece fits. */
const OUTLINE_SHARE = 0.12;
const MAX_OUTLINE_LINES = 12;
const MAX_OUTLINE_CHARS = 90;

/** For the words that name the lines of a chunk: before it, and in the heading of its file. */
const PIECE_HEADING_BYTES = 36;
const EXTENT_BYTES = 32;

export interface WarmFilesInput {
	readonly session: string;
	readonly touches: TouchState;
	/** For the handles of the files, and how the agent spells them. */
	readonly ledger: FilesState;
	readonly files: FileSource;
	/** The messages that stay raw; their texts need no place in the seed. */
	readonly raw: string;
	/** Words of the newest user messages: chunks with these names are warm. */
	readonly named: ReadonlySet<string>;
	/** Files that the user said to leave alone; shown last. */
	readonly forbidden: ReadonlySet<string>;
	/** Identifiers of the agent's own newest words, each with its weight. */
	readonly own: ReadonlyMap<string, number>;
}

interface WarmChunk extends FilePiece {
	readonly path: string;
	readonly score: number;
	readonly bytes: number;
	readonly isLikeOurs: boolean;
}

interface WarmFile {
	readonly path: string;
	readonly score: number;
	readonly why: string;
}

export function renderWarmFiles(input: WarmFilesInput, style: SectionStyle, bytes: number): Section {
	const ranked = rankFiles(input);
	const remarks = new Map<string, string>();
	const contents = new Map<string, KnownContent>();
	const chunks = new Map<string, readonly WarmChunk[]>();
	/** How many lines a file has, where all of it is known. */
	const totals = new Map<string, number>();
	for (const { path, score } of ranked.slice(0, MAX_FILES)) {
		const content = input.files.read(path);
		if (content.kind !== "text" && content.kind !== "partial")
			remarks.set(path, `${nameAtStart(path)} (${remarkOn(content)})`);
		else {
			contents.set(path, content);
			chunks.set(path, chunksOf(path, content, score, input));
		}
		if (content.kind === "text") totals.set(path, toLines(content.text).length);
	}
	const heading = (path: string) => {
		const file = getKey(input.ledger.files, path);
		return `### ${nameInLine(file ? spellingOf(file) : path)}`;
	};
	const all = [...chunks.values()].flat();
	const notice = (count: number) => style.notice(`${plural(count, "more piece")} of these files`, "read the file");
	const head = [style.heading("Files as they were at this point (pieces)"), ...remarks.values()];
	const room = bytes - bytesOf([...head, notice(all.length)]);
	const fitting = choose(all, room, heading);
	const isAll = fitting.length === all.length;
	const best = isAll ? fitting : choose(all, Math.floor(room * (1 - OUTLINE_SHARE)), heading);
	const chosen = Map.groupBy(best, ({ path }) => path);
	const handleOf = (path: string) => fileHandle(getKey(input.ledger.files, path));
	const outlines = new Map<string, readonly string[]>();
	let free = room * OUTLINE_SHARE;
	for (const [path, content] of contents) {
		if (chosen.has(path) || chunks.get(path)?.length === 0) continue;
		const handle = handleOf(path);
		const lines = renderOutline(heading(path), path, content, {
			reference: handle === undefined ? "" : style.reference(handle),
			salt: `${input.session} ${path}`,
		});
		if (lines.length === 0 || bytesOf(lines) > free) continue;
		free -= bytesOf(lines);
		outlines.set(path, lines);
	}
	const body: string[] = [];
	let left = all.length;
	const items = ranked.slice(0, MAX_FILES + MAX_LEFT_OUT).map(({ path, why }, index) => {
		const pieces = chosen.get(path) ?? [];
		const remark = remarks.get(path);
		const lines =
			pieces.length > 0
				? render(heading(path), pieces, totals.get(path), style, `${input.session} ${path}`)
				: remark
					? [remark]
					: (outlines.get(path) ?? []);
		if (!remark) body.push(...lines);
		left -= pieces.length;
		const count = chunks.get(path)?.length ?? 0;
		const missing =
			index >= MAX_FILES ? `below the ${MAX_FILES} best` : count === 0 ? "nothing that does not stand raw" : NO_ROOM;
		const shown = outlines.has(path) ? "outline of" : `${pieces.length} of`;
		const reasons = lines.length > 0 && !remark ? `${shown} ${plural(count, "piece")}; ${why}` : why;
		return fileItem(path, handleOf(path), lines, reasons, lines.length > 0 ? undefined : missing);
	});
	if (chosen.size + outlines.size === 0)
		return makeSection(
			"files",
			[],
			items.filter((item) => !item.included),
			left,
		);
	return makeSection("files", [...head, ...body, ...(left > 0 ? [notice(left)] : [])], items, left);
}

/** Ranks files by the heat of their touches, log-compressed so that one much-edited file does not drown the others. */
function rankFiles({ touches, named, forbidden }: WarmFilesInput): WarmFile[] {
	const files = [...newestFirst(touches.touches)].map(([path, each]) => {
		const heat = each.reduce((sum, touch) => sum + heatOf(touch, touches.messages), 0);
		const base = baseName(path);
		const isForbidden = forbidden.has(path) || forbidden.has(base);
		const isNamed = named.has(path) || named.has(base) || named.has(base.replace(/\.[^.]+$/, ""));
		const changes = each.filter(({ kind }) => kind === "change").length;
		const counts = `${plural(changes, "changed place")}, ${plural(each.length - changes, "read")}`;
		return {
			path,
			score: (Math.log1p(heat) + (isNamed ? NAMED_BONUS : 0)) * (isForbidden ? FORBIDDEN_SHARE : 1),
			why: isForbidden
				? `${counts}; the user said to leave it alone`
				: isNamed
					? `${counts}; named by the user`
					: counts,
		};
	});
	return files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
}

function heatOf(touch: Touch, now: number): number {
	const age = now - touch.at;
	return touch.kind === "change"
		? CHANGE_WEIGHT * 0.5 ** (age / EDIT_HALF_LIFE_MESSAGES)
		: READ_WEIGHT * 0.5 ** (age / READ_HALF_LIFE_MESSAGES);
}

type KnownContent = Extract<FileContent, { kind: "text" | "partial" }>;

function partsOf(content: KnownContent): readonly KnownLines[] {
	return content.kind === "text" ? [{ from: 1, lines: toLines(content.text) }] : content.parts;
}

/** Where things are in a file that has no room: the agent can read the lines it needs, not guess at them. */
function renderOutline(
	heading: string,
	path: string,
	content: KnownContent,
	{ reference, salt }: { readonly reference: string; readonly salt: string },
): string[] {
	const parts = partsOf(content);
	const found = parts.flatMap(({ from, lines }) =>
		declarationsIn(lines.join("\n"), path).map(({ number, text }) => ({ number: number + from - 1, text })),
	);
	if (found.length === 0) return [];
	const step = Math.ceil(found.length / MAX_OUTLINE_LINES);
	const shown = found.filter((_, at) => at % step === 0);
	const lines = shown.map(({ number, text }) => `${number} ${cutWithEllipsis(text.toWellFormed(), MAX_OUTLINE_CHARS)}`);
	const of = content.kind === "text" ? ` of ${plural(parts[0]?.lines.length ?? 0, "line")}` : "";
	const { until, end } = enclose(lines.join("\n"), salt);
	return [
		`${heading} (outline${of}${until && `; ${until}`})${reference}`,
		...lines,
		...(end === "" ? [] : [end.trim()]),
	];
}

function chunksOf(path: string, content: KnownContent, fileScore: number, input: WarmFilesInput): WarmChunk[] {
	const touches = getRecent(input.touches.touches, path) ?? [];
	return partsOf(content).flatMap((part) => {
		const heat = lineHeat(part.from, part.lines, touches, input.touches.messages);
		const chunks: WarmChunk[] = [];
		const starts = chunkStarts(part.lines);
		for (const [n, at] of starts.entries()) {
			const end = starts[n + 1] ?? part.lines.length;
			const lines = showLines(part.lines.slice(at, end));
			const bytes = bytesOf(lines);
			const text = lines.join("\n");
			if (bytes <= lines.length || input.raw.includes(text)) continue;
			const touched = average(heat.slice(at, end));
			const head = part.from + at === 1 ? HEAD_BONUS : 0;
			const { mentions, own } = wordHeat(text, input);
			const score = (touched + head + mentions + own) * fileScore;
			chunks.push({ path, from: part.from + at, lines, score, bytes, isLikeOurs: isLikeOurs(text) });
		}
		return chunks.map((chunk, n) => {
			const beside = (chunks[n - 1]?.score ?? 0) + (chunks[n + 1]?.score ?? 0);
			return { ...chunk, score: chunk.score + NEIGHBOUR_SHARE * beside };
		});
	});
}

/** The heat of each line: its own touches, and less from those of its neighbours. */
function lineHeat(from: number, lines: readonly string[], touches: readonly Touch[], now: number): Float64Array {
	const heat = new Float64Array(lines.length);
	for (const touch of touches) {
		const weight = heatOf(touch, now);
		const found = touch.text === null ? -1 : lines.indexOf(touch.text);
		const shift = found >= 0 ? found + from - touch.from : 0;
		const first = Math.max(0, touch.from + shift - from);
		const last = Math.min(lines.length - 1, touch.to === null ? lines.length - 1 : touch.to + shift - from);
		// A long read says little about each of its lines.
		const share = touch.kind === "read" ? Math.min(1, 120 / Math.max(1, last - first + 1)) : 1;
		const warm = (line: number, more: number) => {
			heat[line] = (heat[line] ?? 0) + more;
		};
		for (let line = first; line <= last; line++) warm(line, weight * share);
		const spread = touch.kind === "change" ? 12 : 4;
		for (let away = 1; away <= spread; away++) {
			const side = weight * share * (1 - away / (spread + 1));
			if (first - away >= 0) warm(first - away, side);
			if (last + away < lines.length) warm(last + away, side);
		}
	}
	return heat;
}

const NAMED_HEAT = 0.4;
const MAX_NAMED_HEAT = 1.5;
const OWN_SHARE = 0.5;
const MAX_OWN_HEAT = 3;

/** Names in the user's words and in the agent's recent words will be needed again. Each counts once. */
function wordHeat(text: string, { named, own }: WarmFilesInput): { mentions: number; own: number } {
	const found = new Set<string>();
	const words = named.size + own.size === 0 ? [] : (text.match(IDENTIFIER) ?? []);
	for (const word of words) if (named.has(word) || own.has(word)) found.add(word);
	let [count, sum] = [0, 0];
	for (const word of found) {
		if (named.has(word)) count++;
		sum += own.get(word) ?? 0;
	}
	return { mentions: Math.min(MAX_NAMED_HEAT, count * NAMED_HEAT), own: Math.min(MAX_OWN_HEAT, OWN_SHARE * sum) };
}

/** The best chunks that fit. A chunk that does not fit is skipped. */
function choose(chunks: readonly WarmChunk[], bytes: number, heading: (path: string) => string): WarmChunk[] {
	const sorted = chunks.toSorted(
		(a, b) => b.score - a.score || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.from - b.from),
	);
	const chosen: WarmChunk[] = [];
	const headed = new Set<string>();
	const enclosed = new Set<string>();
	let free = bytes;
	for (const chunk of sorted) {
		const head = headed.has(chunk.path) ? 0 : bytesOf([heading(chunk.path)]) + EXTENT_BYTES;
		const enclosure = chunk.isLikeOurs && !enclosed.has(chunk.path) ? ENCLOSURE_BYTES : 0;
		const size = chunk.bytes + PIECE_HEADING_BYTES + head + enclosure;
		if (size > free) continue;
		free -= size;
		headed.add(chunk.path);
		if (chunk.isLikeOurs) enclosed.add(chunk.path);
		chosen.push(chunk);
	}
	return chosen;
}

function render(
	heading: string,
	chunks: readonly WarmChunk[],
	total: number | undefined,
	style: SectionStyle,
	salt: string,
): string[] {
	const pieces = joinPieces(chunks);
	const ranges = pieces.map(({ from, lines }) => `${from}-${from + lines.length - 1}`);
	const isWhole = total !== undefined && ranges[0] === `1-${total}`;
	const of = total === undefined ? "" : ` of ${total}`;
	const extent = isWhole ? `whole, ${plural(total, "line")}` : `part: lines ${ranges.join(", ")}${of}`;
	const { until, end } = enclose(pieces.flatMap(({ lines }) => lines).join("\n"), salt);
	const body = pieces.flatMap(({ from, lines }) => [
		...(pieces.length > 1 ? style.pieceHeading(from, lines.length) : []),
		...lines.map((line) => style.quote(line)),
	]);
	return [`${heading} (${extent}${until && `; ${until}`})`, ...body, ...(end === "" ? [] : [end.trim()])];
}

function average(values: Float64Array): number {
	return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
