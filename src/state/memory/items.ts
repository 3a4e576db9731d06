/** All that the memory files of a project say, as items for recall: this session first, then the newest before it. */
import { readdirSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readBounded } from "../../base/file/regular-file.ts";
import { sha256 } from "../../base/hash/sha256.ts";
import { parseDocument } from "./document.ts";
import {
	FILE_NAMES,
	HISTORY,
	MEMORY,
	memoryFolder,
	newestPath,
	pathOf,
	type SessionName,
	sessionFolder,
} from "./place.ts";
import type { RecallItem, RecallKind, RecallSource } from "./recall/item.ts";
import { MAX_BYTES } from "./write.ts";

export interface MemoryItemsOptions {
	/** The project's data folder. */
	readonly folder: string;
	/** The session that asks: its own SESSION.md comes first. */
	readonly session?: SessionName | undefined;
	/** How many SESSION.md are read. */
	readonly sessions?: number | undefined;
}

const SESSIONS = 3;
const PATH = /(?:^|[\s`"'(])((?:[\w@.-]+\/)+[\w@.-]+|[\w@-]+\.[a-z]{1,5})(?=$|[\s`"'),:;])/g;
const MAX_PATHS = 8;
/** Before the name of what somebody wrote between the bullets: it is recalled, and nothing else is done to it. */
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

/** Reads whole files at once. A file that is missing, odd or too large gives none; never throws. */
export function memoryItems(options: MemoryItemsOptions): RecallItem[] {
	const folder = memoryFolder(options.folder);
	const sessions = sessionPaths(folder, options.session).slice(0, options.sessions ?? SESSIONS);
	return [
		...sessions.flatMap((path) => itemsIn(path, "session")),
		...itemsIn(pathOf(folder, MEMORY), "memory"),
		...itemsIn(pathOf(folder, HISTORY), "history"),
	];
}

/** The bullets of one file, and paragraphs that somebody wrote between them. */
export function itemsIn(path: string, source: RecallSource): RecallItem[] {
	const reading = readBounded(path, MAX_BYTES);
	if (reading.kind !== "bytes") return [];
	const document = parseDocument(reading.bytes.toString("utf8"));
	return document.sections.flatMap(({ name, parts }) => {
		const heading = name ?? "";
		const stretch = `${path} ${heading}`;
		return parts.flatMap((part) => {
			const text = part.kind === "bullet" ? part.text : paragraphOf(part.lines, name);
			if (text === "") return [];
			const mark = part.kind === "bullet" ? "f-" : TEXT_ID;
			const id =
				(part.kind === "bullet" ? part.id : undefined) ?? `${mark}${sha256(`${stretch}\n${text}`).slice(0, 8)}`;
			const date = part.kind === "bullet" ? dateOf(part.lines[0] ?? "", heading) : dateOf("", heading);
			const kind = KINDS[heading] ?? (source === "history" ? "work" : undefined);
			return [{ id, text, heading, source, kind, date, paths: pathsIn(text), file: path, stretch }];
		});
	});
}

function paragraphOf(lines: readonly string[], section: string | null): string {
	const text = lines.join("\n").trim();
	// The title and our own mark stand before the first section.
	return text.startsWith("<!--") || /^#{1,6}\s/.test(text) || (section === null && text === "") ? "" : text;
}

function dateOf(line: string, heading: string): number | undefined {
	const day = /<!-- f-[0-9a-f]{8} (\d{4}-\d{2}-\d{2})/.exec(line)?.[1] ?? /^\d{4}-\d{2}-\d{2}$/.exec(heading)?.[0];
	const time = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
	return Number.isNaN(time) ? undefined : time;
}

function pathsIn(text: string): readonly string[] | undefined {
	const found = new Set<string>();
	for (const [, path] of text.matchAll(PATH)) {
		found.add(path!);
		if (found.size >= MAX_PATHS) break;
	}
	return found.size === 0 ? undefined : [...found];
}

/** The asking session's own, then the one that `SESSION.md` names, then by the time of the last change. */
function sessionPaths(folder: string, session: SessionName | undefined): string[] {
	const all = join(folder, "sessions");
	const changed = readNames(all)
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
