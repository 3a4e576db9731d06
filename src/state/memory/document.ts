/**
 * A memory file as structure: sections with bullets, and the other lines between them. Unchanged parts are written back as
 * they were: `renderDocument(parseDocument(text))` is the text.
 *
 * A bullet's id is in a comment at the end of its first line. Fences and comments hide bullets only if none of them has an
 * id: a fence that was never closed must not look as if the user had removed what follows.
 */

import { sha256 } from "../../base/hash/sha256.ts";
import { cutWithEllipsis } from "../../base/text/cut.ts";
import { maskAtOnce } from "../../base/text/mask.ts";
import { oneLine } from "../../base/text/printable.ts";
import { disarmTags } from "../../message/enclosure.ts";
import { stripRecalled } from "../../message/recall-tags.ts";
import { type MemoryFileKind, rankOf } from "./section.ts";

export interface Bullet {
	readonly kind: "bullet";
	/** Undefined: the user wrote it. */
	readonly id: string | undefined;
	readonly text: string;
	/** As they are in the file. */
	readonly lines: readonly string[];
}

interface RawLines {
	readonly kind: "raw";
	readonly lines: readonly string[];
}

export interface DocumentSection {
	/** null: the part before the first heading. */
	readonly name: string | null;
	readonly heading: string | undefined;
	readonly parts: readonly (Bullet | RawLines)[];
}

export interface MemoryDocument {
	/** The revision that the file names. Undefined: none. */
	readonly revision: number | undefined;
	readonly sections: readonly DocumentSection[];
}

const HEADING = /^##[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const BULLET = /^(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/;
const CONTINUED = /^(?: {2}|\t).*\S/;
const MARK = /[ \t]*<!-- (f-[0-9a-f]{8})(?: [^<>]*)? -->[ \t]*$/;
const REVISION = /^<!-- weft revision (\d{1,12})\b[^<>]*-->/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

export function parseDocument(text: string): MemoryDocument {
	const lines = text.split("\n");
	let parts: (Bullet | RawLines)[] = [];
	const sections: DocumentSection[] = [{ name: null, heading: undefined, parts }];
	const blocks = new Blocks(lines);
	let revision: number | undefined;
	for (let at = 0; at < lines.length; ) {
		const line = lines[at] ?? "";
		const end = blocks.endOf(at);
		if (end > at) {
			parts.push({ kind: "raw", lines: lines.slice(at, end + 1) });
			at = end + 1;
			continue;
		}
		const name = HEADING.exec(line)?.[1];
		const bullet = BULLET.exec(line)?.[1];
		if (name !== undefined) {
			parts = [];
			sections.push({ name, heading: line, parts });
		} else if (bullet !== undefined) {
			let last = at;
			while (CONTINUED.test(lines[last + 1] ?? "")) last++;
			parts.push(bulletOf(bullet, lines.slice(at, last + 1)));
			at = last;
		} else {
			revision ??= sections.length === 1 ? revisionIn(line) : undefined;
			parts.push({ kind: "raw", lines: [line] });
		}
		at++;
	}
	return { revision, sections };
}

function bulletOf(first: string, lines: readonly string[]): Bullet {
	const mark = first.includes("<!-- f-") ? MARK.exec(first) : null;
	const words = mark ? first.slice(0, mark.index) : first;
	const text = [words, ...lines.slice(1).map((line) => line.trim())].join("\n").trim();
	return { kind: "bullet", id: mark?.[1], text, lines };
}

function revisionIn(line: string): number | undefined {
	const found = REVISION.exec(line)?.[1];
	return found === undefined ? undefined : Number(found);
}

/** Fences and comments of several lines. Finds their ends in one pass, so that a hostile file takes linear time. */
class Blocks {
	readonly #lines: readonly string[];
	/** For each line: the next line with an id, and the next that ends a comment. */
	readonly #nextId: Int32Array;
	readonly #nextCommentEnd: Int32Array;
	/** Lines that may close a fence, by sign, the last first. */
	readonly #closers = new Map<string, { readonly at: number; readonly length: number }[]>();

	constructor(lines: readonly string[]) {
		this.#lines = lines;
		this.#nextId = new Int32Array(lines.length + 1).fill(lines.length);
		this.#nextCommentEnd = new Int32Array(lines.length + 1).fill(lines.length);
		let [nextId, nextCommentEnd] = [lines.length, lines.length];
		for (let at = lines.length - 1; at >= 0; at--) {
			const line = lines[at] ?? "";
			if (line.includes("<!-- f-") && MARK.test(line)) nextId = at;
			if (line.includes("-->")) nextCommentEnd = at;
			this.#nextId[at] = nextId;
			this.#nextCommentEnd[at] = nextCommentEnd;
			const [, fence, rest = ""] = (isFence(line) && FENCE.exec(line)) || [];
			if (fence === undefined || rest.trim() !== "") continue;
			const sign = fence.charAt(0);
			const known = this.#closers.get(sign) ?? [];
			known.push({ at, length: fence.length });
			this.#closers.set(sign, known);
		}
	}

	/** The last line of the block that begins here, or the line itself if none does. */
	endOf(at: number): number {
		const line = this.#lines[at] ?? "";
		const fence = isFence(line) ? FENCE.exec(line)?.[1] : undefined;
		const isComment = line.startsWith("<!--") && !line.includes("-->");
		const commentEnd = isComment ? (this.#nextCommentEnd[at + 1] ?? at) : at;
		const end = fence === undefined ? commentEnd : this.#fenceEnd(at, fence);
		return end <= at || end >= this.#lines.length || (this.#nextId[at] ?? end) <= end ? at : end;
	}

	#fenceEnd(at: number, opening: string): number {
		const closers = this.#closers.get(opening.charAt(0)) ?? [];
		while ((closers.at(-1)?.at ?? at + 1) <= at) closers.pop();
		// Almost always the next one. A longer fence tries a few more, never the whole file.
		return closers.slice(-MAX_CLOSERS).findLast(({ length }) => length >= opening.length)?.at ?? at;
	}
}

const MAX_CLOSERS = 20;

function isFence(line: string): boolean {
	return line.includes("```") || line.includes("~~~");
}

export function renderDocument({ sections }: MemoryDocument): string {
	const lines: string[] = [];
	for (const { heading, parts } of sections) {
		if (heading !== undefined) lines.push(heading);
		for (const part of parts) for (const line of part.lines) lines.push(line);
	}
	return lines.join("\n");
}

export function bulletsOf(document: MemoryDocument): { readonly section: string; readonly bullet: Bullet }[] {
	return document.sections.flatMap(({ name, parts }) =>
		parts.flatMap((part) => (part.kind === "bullet" ? [{ section: name ?? "", bullet: part }] : [])),
	);
}

interface DocumentEdit {
	/** Replacements of bullets; null removes one. Other bullets stay. */
	readonly replaced: ReadonlyMap<Bullet, Bullet | null>;
	/** New bullets by section, to follow the last one there. */
	readonly added: ReadonlyMap<string, readonly Bullet[]>;
}

export function editDocument(document: MemoryDocument, kind: MemoryFileKind, edit: DocumentEdit): MemoryDocument {
	const waiting = new Map(edit.added);
	const sections = document.sections.flatMap((section) => {
		const fresh = section.name === null ? [] : (waiting.get(section.name) ?? []);
		if (section.name !== null) waiting.delete(section.name);
		const changed = editSection(section, edit.replaced, fresh);
		return changed !== section && isEmpty(changed) && isOurs(kind, changed) ? [] : [changed];
	});
	let edited: MemoryDocument = { ...document, sections };
	for (const [name, bullets] of waiting) if (bullets.length > 0) edited = withSection(edited, kind, name, bullets);
	return edited;
}

function editSection(
	section: DocumentSection,
	replaced: DocumentEdit["replaced"],
	fresh: readonly Bullet[],
): DocumentSection {
	if (fresh.length === 0 && !section.parts.some((part) => part.kind === "bullet" && replaced.has(part))) return section;
	const parts = section.parts.flatMap((part) => {
		const next = part.kind === "bullet" ? replaced.get(part) : undefined;
		return next === undefined ? [part] : next === null ? [] : [next];
	});
	const last = parts.findLastIndex(({ kind }) => kind === "bullet");
	const text = parts.findLastIndex(({ lines }) => lines.some((line) => line.trim() !== ""));
	parts.splice((last === -1 ? text : last) + 1, 0, ...fresh);
	return { ...section, parts: closed(parts) };
}

function isEmpty({ parts }: DocumentSection): boolean {
	return parts.every((part) => part.kind === "raw" && part.lines.every((line) => line.trim() === ""));
}

function isOurs(kind: MemoryFileKind, { name }: DocumentSection): boolean {
	return name !== null && rankOf(kind, name) !== undefined;
}

function withSection(
	document: MemoryDocument,
	kind: MemoryFileKind,
	name: string,
	bullets: readonly Bullet[],
): MemoryDocument {
	const rank = rankOf(kind, name) ?? Number.MAX_SAFE_INTEGER;
	const before = document.sections.findIndex((each, index) => {
		const other = each.name === null ? undefined : rankOf(kind, each.name);
		return index > 0 && other !== undefined && other > rank;
	});
	const at = before === -1 ? document.sections.length : before;
	const made: DocumentSection = { name, heading: `## ${name}`, parts: [...bullets, { kind: "raw", lines: [""] }] };
	const ended = document.sections.map((each, index) =>
		index === at - 1 ? { ...each, parts: closed(each.parts) } : each,
	);
	return { ...document, sections: ended.toSpliced(at, 0, made) };
}

/** Ends with a blank line, before the next heading. */
function closed(parts: readonly (Bullet | RawLines)[]): readonly (Bullet | RawLines)[] {
	const line = parts.at(-1)?.lines.at(-1);
	return line === undefined || line.trim() === "" ? parts : [...parts, { kind: "raw", lines: [""] }];
}

/** Sets the line with the revision, or adds it as the first. */
export function withRevision(document: MemoryDocument, revision: number, of: string): MemoryDocument {
	const line = `<!-- weft revision ${revision}${of}. Edit as you like: what you write, change or remove here stays so. -->`;
	const [first, ...rest] = document.sections;
	const { parts = [] } = first ?? {};
	const at = parts.findIndex((part) => part.kind === "raw" && revisionIn(part.lines[0] ?? "") !== undefined);
	const raw: RawLines = { kind: "raw", lines: [line] };
	const marked = at === -1 ? [raw, ...parts] : parts.toSpliced(at, 1, raw);
	return { revision, sections: [{ name: null, heading: undefined, parts: marked }, ...rest] };
}

const ID_DIGITS = 8;
/** No bullet is made from more of a text. */
const MAX_CHARS = 20_000;
export const ID_PATTERN = /^f-[0-9a-f]{8}$/;

/**
 * The text of a bullet: cleaned for a memory file, and normalised for comparing. One line without secrets, and without
 * anything that looks like a mark of ours or ends a comment. May be empty.
 */
export function cleanText(text: string, maxChars: number): string {
	const line = disarmTags(oneLine(maskAtOnce(stripRecalled(text).slice(0, MAX_CHARS))))
		.replaceAll("<!--", "<!—")
		.replaceAll("-->", "—>")
		.replace(/^(?:[-*+]\s+)+/, "");
	return cutWithEllipsis(line, maxChars);
}

/** For comparing: ignores case, spacing, final punctuation and how characters are composed. */
export function plainWords(text: string): string {
	return text
		.normalize("NFKC")
		.toLowerCase()
		.replace(/\s+/g, " ")
		.replace(/[.!,;:\s]+$/, "")
		.trim();
}

export function keyOfText(text: string): string {
	return sha256(plainWords(text)).slice(0, 24);
}

/** Derived from file and text: every process gives the same bullet the same id. */
export function bulletId(file: string, text: string, nth = 0): string {
	return `f-${sha256(`${file}\n${text}${nth === 0 ? "" : `\n${nth}`}`).slice(0, ID_DIGITS)}`;
}
