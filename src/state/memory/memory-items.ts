/** The memory files of a project as items for recall: this session's first, then the newest before it. */

import { readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { ownValue } from "../../base/collection/own-value.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import type { Scope } from "../session/scope.ts";
import type { DocumentSection, MemoryDocument } from "./document.ts";
import { memoryDocuments } from "./document-cache.ts";
import {
	FILE_NAMES,
	historyFile,
	keyOf,
	type MemoryFile,
	memoryFile,
	memoryFolder,
	memoryHomes,
	newestPath,
	pathOf,
	type SessionName,
	sessionFolder,
} from "./memory-files.ts";
import type { RecallItem, RecallKind, RecallSource } from "./recall/item-index.ts";

export interface MemoryItemsOptions {
	/** The project's data folder. */
	readonly folder: string;
	/** The asking session. Its own SESSION.md comes first. */
	readonly session?: SessionName | undefined;
	/** The sessions whose files it may read. */
	readonly scope: Pick<Scope, "homes" | "others">;
	/** Tells for the bullets of a MEMORY.md, by the file's key, the seq of the write that brought each. Undefined: the log does not know it yet. */
	readonly writtenAt?: ((file: string) => (id: string) => number | undefined) | undefined;
	/** How many SESSION.md to read. */
	readonly sessions?: number | undefined;
}

const SESSIONS = 3;
const PATH = /(?:^|[\s`"'(])((?:[\w@.-]+\/)+[\w@.-]+|[\w@-]+\.[a-z]{1,5})(?=$|[\s`"'),:;])/g;
const MAX_PATHS = 8;
/** Prefix for the ids of paragraphs between the bullets: recall shows them, nothing else uses them. */
export const TEXT_ID = "t-";

const KINDS: Readonly<Record<string, RecallKind>> = {
	"Current State": "state",
	"Next Steps": "next",
	"Open Loops": "next",
	"User Intent": "intent",
	"Active Files": "file",
	Decisions: "decision",
	Constraints: "constraint",
	"Errors & Corrections": "error",
	Preferences: "preference",
	Facts: "fact",
	Worklog: "work",
};

/** A file that is missing, odd or too large gives none. Never throws. */
export function memoryItems(options: MemoryItemsOptions): RecallItem[] {
	const folder = memoryFolder(options.folder);
	const { scope } = options;
	const sessions = sessionPaths(folder, options.session, scope).slice(0, options.sessions ?? SESSIONS);
	const homes = memoryHomes(scope);
	return [
		...sessions.flatMap((path) => itemsIn(path, "session")),
		...homes.flatMap((of) => lastingItems(folder, memoryFile(of), options.writtenAt)),
		...homes.flatMap((of) => itemsIn(pathOf(folder, historyFile(of)), "history")),
	];
}

/** Our own bullets follow corrections by themselves; a bullet that the user wrote by hand is news. */
function lastingItems(folder: string, file: MemoryFile, writtenAt: MemoryItemsOptions["writtenAt"]): RecallItem[] {
	const items = itemsIn(pathOf(folder, file), "memory");
	const seqOf = items.length === 0 ? undefined : writtenAt?.(keyOf(file));
	return items.map((item) => ({ ...item, seq: seqOf?.(item.id) ?? Number.MAX_SAFE_INTEGER }));
}

/** Items of a document stay the same until its file changes. */
const itemsOfDocument = new WeakMap<MemoryDocument, readonly RecallItem[]>();

/** The bullets of one file, and the paragraphs between them. A file has one source. */
export function itemsIn(path: string, source: RecallSource): readonly RecallItem[] {
	const reading = memoryDocuments.read(path);
	if (reading.kind !== "parsed") return [];
	const known = itemsOfDocument.get(reading.document);
	if (known) return known;
	const items = reading.document.sections.flatMap((section) => itemsOfSection(section, path, source));
	itemsOfDocument.set(reading.document, items);
	return items;
}

function itemsOfSection({ name, parts }: DocumentSection, path: string, source: RecallSource): RecallItem[] {
	const heading = name ?? "";
	const stretch = `${path} ${heading}`;
	return parts.flatMap((part) => {
		const isBullet = part.kind === "bullet";
		const text = isBullet ? part.text : paragraphOf(part.lines, name);
		if (text === "") return [];
		const mark = isBullet ? "f-" : TEXT_ID;
		const id = (isBullet ? part.id : undefined) ?? `${mark}${sha256(`${stretch}\n${text}`).slice(0, 8)}`;
		const date = dateOf(isBullet ? (part.lines[0] ?? "") : "", heading);
		const kind = ownValue(KINDS, heading) ?? (source === "history" ? "work" : undefined);
		return [{ id, text, heading, source, kind, date, paths: pathsIn(text), file: path, stretch }];
	});
}

function paragraphOf(lines: readonly string[], section: string | null): string {
	const text = lines.join("\n").trim();
	// The title and our own mark come before the first section.
	return text.startsWith("<!--") || /^#{1,6}\s/.test(text) || (section === null && text === "") ? "" : text;
}

function dateOf(line: string, heading: string): number | undefined {
	const day = /<!-- f-[0-9a-f]{8} (\d{4}-\d{2}-\d{2})/.exec(line)?.[1] ?? /^\d{4}-\d{2}-\d{2}$/.exec(heading)?.[0];
	const time = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
	return Number.isNaN(time) ? undefined : time;
}

function pathsIn(text: string): readonly string[] | undefined {
	const found = new Set<string>();
	for (const [, path = ""] of text.matchAll(PATH)) {
		found.add(path);
		if (found.size >= MAX_PATHS) break;
	}
	return found.size === 0 ? undefined : [...found];
}

/** The asking session's own, then the one that `SESSION.md` links to, then the others by last change. */
function sessionPaths(
	folder: string,
	session: SessionName | undefined,
	scope: Pick<Scope, "homes" | "others">,
): string[] {
	const all = join(folder, "sessions");
	const isAsked = folderFilter(scope);
	const changed = readNames(all)
		.filter(isAsked)
		.map((name) => ({
			name,
			at: statSync(join(all, name, FILE_NAMES.session), { throwIfNoEntry: false })?.mtimeMs ?? -1,
		}))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
		.map(({ name }) => name);
	const first = [...(session ? [sessionFolder(session)] : []), newestName(folder)].filter((name) =>
		changed.includes(name),
	);
	return [...new Set([...first, ...changed])].map((name) => join(all, name, FILE_NAMES.session));
}

/** Tells by its name whether a session's folder is one that the scope reads. */
function folderFilter({ homes, others }: Pick<Scope, "homes" | "others">): (name: string) => boolean {
	const names = new Set((homes ?? others).map(sessionFolder));
	return (name) => names.has(name) === (homes !== undefined);
}

function newestName(folder: string): string {
	try {
		return basename(dirname(readlinkSync(newestPath(folder))));
	} catch {
		return "";
	}
}

function readNames(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
