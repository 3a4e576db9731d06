/**
 * The ledger: every file that a tool read or changed. Per project, because two sessions may work on the same files. It
 * holds no file's text, only hashes, line numbers and a few words to find a change by.
 */
import { describeDiff } from "../../base/diff/diff-words.ts";
import { asObject } from "../../base/json/read.ts";
import { cutStart } from "../../base/text/cut.ts";
import type { AnyPayload, EventRecord } from "../../log/event/types.ts";
import {
	dropRecent,
	emptyRecent,
	getKey,
	getRecent,
	type Keyed,
	putRecent,
	type Recent,
	setKey,
	touch,
} from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { type HandleSource, handleOf, nameOf } from "../../log/handle.ts";
import { pathOf } from "../session/file-change.ts";
import { baseName, pathPrefix, projectPath } from "./project-path.ts";

export interface ReadRange {
	readonly seq: number;
	readonly ts: number;
	/** First line, from 1. */
	readonly from: number;
	/** null: not known. */
	readonly to: number | null;
	/** SHA-256 of the text that was shown. */
	readonly hash: string;
}

export interface ChangeNote {
	readonly seq: number;
	readonly ts: number;
	readonly kind: string;
	readonly added: number;
	/** null: not known. */
	readonly removed: number | null;
	/** agent, shell or other. */
	readonly actor: string;
	/** Names that the change added or removed, in a few words. "": the diff shows none. */
	readonly what: string;
}

/** Where the last change is: the line that the agent named, and the longest stretch of new text to find it by. */
export interface ChangeSpot {
	readonly line: number;
	readonly text: string | null;
}

export interface FileState {
	readonly path: string;
	/** The path as the agent's last call spelled it, if that differs: the agent will use that spelling again. */
	spelled: string | null;
	reads: number;
	changes: number;
	/** How many of the changes somebody else made. */
	changesByOthers: number;
	lastReadSeq: number;
	lastReadTs: number;
	lastChangeSeq: number;
	lastChangeTs: number;
	/** The newest event that read or changed the file. */
	last: HandleSource | null;
	/** Lines added and removed in all, as far as they are known. */
	added: number;
	removed: number;
	/** The newest last. */
	ranges: ReadRange[];
	/** The newest last. */
	history: ChangeNote[];
	spot: ChangeSpot | null;
	/** SHA-256 of the whole file as last known. null: it changed since, and the new hash is unknown. */
	hash: string | null;
	/** The event that gave the hash. */
	hashSeq: number;
	deleted: boolean;
}

export interface FilesState {
	files: Keyed<FileState>;
	count: number;
	/** Paths by last use, the newest last. The working set is chosen from them. */
	recent: string[];
	/** Path prefixes of sessions that stretch below the project's root. */
	prefixes: Recent<string>;
	/** The path in each of the last calls, as spelled there. */
	spellings: Recent<string>;
	/** Whole-file hashes that the guard saw during a call. The call's own events come later, from the transcript. */
	looks: Recent<string>;
}

const MAX_RECENT_FILES = 256;
const MAX_RANGES = 6;
const MAX_CHANGES = 6;
const MAX_PREFIXES = 64;
const MAX_LOOKS = 64;
const MAX_SPELLINGS = 64;

/** The handle of the last event of a file. */
export function fileHandle(file: Pick<FileState, "last"> | undefined): string | undefined {
	return file?.last ? handleOf(file.last) : undefined;
}

export const fileFold: StateFold<FilesState> = {
	name: "files",
	version: 9,
	initial: () => ({
		files: {},
		count: 0,
		recent: [],
		prefixes: emptyRecent(),
		spellings: emptyRecent(),
		looks: emptyRecent(),
	}),
	step(state, record) {
		switch (record.type) {
			case "SessionStarted":
				return started(state, record);
			case "ToolCalled":
				return noteSpelling(state, record);
			case "FileRead":
				return withFile(state, record, (file, look) => read(file, record, look));
			case "FileChanged":
				return withFile(state, record, (file, look) => changed(file, record, look));
			case "Verdict":
				return refreshed(state, record);
		}
	},
};

function started(state: FilesState, { session, payload }: EventRecord): void {
	const prefix = pathPrefix(textIn(payload, "cwd") ?? "", textIn(payload, "root") ?? undefined);
	if (prefix === "") dropRecent(state.prefixes, session);
	else putRecent(state.prefixes, session, prefix, MAX_PREFIXES);
}

function noteSpelling(state: FilesState, record: EventRecord): void {
	const named = pathOf(asObject(record.payload["input"]) ?? {});
	if (named !== undefined) putRecent(state.spellings, callKey(record), named, MAX_SPELLINGS);
}

function callKey({ session, payload }: EventRecord): string {
	return `${session} ${textIn(payload, "callId") ?? ""}`;
}

/** The path as the agent spells it. */
export function spellingOf(file: Pick<FileState, "path" | "spelled">): string {
	return file.spelled ?? file.path;
}

function withFile(state: FilesState, record: EventRecord, apply: (file: FileState, look: string | null) => void): void {
	const named = textIn(record.payload, "path");
	if (named === null || named === "") return;
	const path = projectPath(named, getRecent(state.prefixes, record.session) ?? "");
	let file = getKey(state.files, path);
	if (!file) {
		file = unknownFile(path);
		setKey(state.files, path, file);
		state.count++;
	}
	file.last = nameOf(record);
	const spelled = getRecent(state.spellings, callKey(record));
	if (spelled !== undefined && baseName(spelled) === baseName(path)) file.spelled = spelled === path ? null : spelled;
	apply(file, getRecent(state.looks, lookKey(record, path)) ?? null);
	touch(state.recent, path, MAX_RECENT_FILES);
}

function read(file: FileState, { seq, ts, payload }: EventRecord, look: string | null): void {
	file.reads++;
	file.lastReadSeq = seq;
	file.lastReadTs = ts;
	file.deleted = false;
	const range = { seq, ts, from: numberIn(payload, "from") ?? 1, to: numberIn(payload, "to") };
	// Reading the same lines again replaces the older range.
	file.ranges = file.ranges.filter((known) => known.from !== range.from || known.to !== range.to);
	file.ranges.push({ ...range, hash: textIn(payload, "sliceHash") ?? "" });
	if (file.ranges.length > MAX_RANGES) file.ranges.shift();
	const whole = textIn(payload, "fileHash") ?? look;
	if (whole !== null) know(file, whole, seq);
}

function changed(file: FileState, { seq, ts, payload }: EventRecord, look: string | null): void {
	const note = noteOf(seq, ts, payload);
	file.changes++;
	file.lastChangeSeq = seq;
	file.lastChangeTs = ts;
	file.added += note.added;
	file.removed += note.removed ?? 0;
	file.history.push(note);
	if (file.history.length > MAX_CHANGES) file.history.shift();
	file.deleted = note.kind === "delete";
	// After a foreign change the agent still knows only what it saw last.
	if (note.actor === "other") {
		file.changesByOthers++;
		return;
	}
	know(file, textIn(payload, "hash") ?? look, seq);
	file.spot = changeSpot(textIn(payload, "diff"));
	// A write of the whole file invalidates ranges that were read before.
	if (note.kind !== "edit") file.ranges = [];
}

function know(file: FileState, hash: string | null, seq: number): void {
	file.hash = hash;
	file.hashSeq = seq;
}

/**
 * The guard looked at the disk and counts those bytes as seen. It does so while the call runs: the events that the
 * transcript derives for the same call come later, and know no more.
 */
function refreshed(state: FilesState, record: EventRecord): void {
	const { seq, session, payload } = record;
	const named = textIn(payload, "path");
	const hash = textIn(payload, "hash");
	if (payload["verdict"] !== "refresh" || named === null || hash === null) return;
	// The agent was not shown all of it, so it still knows only what it saw last.
	if (Array.isArray(payload["unread"]) && payload["unread"].length > 0) return;
	const path = projectPath(named, getRecent(state.prefixes, session) ?? "");
	putRecent(state.looks, lookKey(record, path), hash, MAX_LOOKS);
	const file = getKey(state.files, path);
	if (file) know(file, hash, seq);
}

function lookKey({ session, payload }: EventRecord, path: string): string {
	return `${session} ${textIn(payload, "callId") ?? ""} ${path}`;
}

function noteOf(seq: number, ts: number, payload: AnyPayload): ChangeNote {
	return {
		seq,
		ts,
		kind: textIn(payload, "kind") ?? "edit",
		added: numberIn(payload, "added") ?? 0,
		removed: numberIn(payload, "removed"),
		actor: textIn(payload, "actor") ?? "other",
		what: describeDiff(textIn(payload, "diff") ?? ""),
	};
}

function unknownFile(path: string): FileState {
	return {
		path,
		spelled: null,
		reads: 0,
		changes: 0,
		changesByOthers: 0,
		lastReadSeq: 0,
		lastReadTs: 0,
		lastChangeSeq: 0,
		lastChangeTs: 0,
		last: null,
		added: 0,
		removed: 0,
		ranges: [],
		history: [],
		spot: null,
		hash: null,
		hashSeq: 0,
		deleted: false,
	};
}

const MAX_TEXT_CHARS = 400;
const MAX_DIFF_CHARS = 100_000;

/**
 * Where a diff changed a file: the longest stretch of added lines and the line where it begins. A diff made from a call's
 * arguments alone does not have the file's line numbers, so the text is kept to find the place.
 */
export function changeSpot(diff: string | null): ChangeSpot | null {
	if (diff === null) return null;
	let longest: { line: number; lines: string[]; chars: number } | undefined;
	let stretch: { line: number; lines: string[]; chars: number } | undefined;
	let removedAt: number | undefined;
	let line = 0;
	for (const text of diff.slice(0, MAX_DIFF_CHARS).split("\n")) {
		const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text);
		if (hunk) line = Number(hunk[1]);
		if (line === 0 || hunk || !text.startsWith("+")) {
			stretch = undefined;
			if (line > 0 && text.startsWith("-")) removedAt ??= line;
			if (line > 0 && text.startsWith(" ")) line++;
			continue;
		}
		stretch ??= { line, lines: [], chars: 0 };
		stretch.lines.push(text.slice(1));
		stretch.chars += text.trim().length;
		if (!longest || stretch.chars > longest.chars) longest = stretch;
		line++;
	}
	if (longest && longest.chars > longest.lines.length) return { line: longest.line, text: bounded(longest.lines) };
	const at = longest?.line ?? removedAt;
	return at === undefined ? null : { line: at, text: null };
}

/** Whole lines while they fit. A first line that is too long is cut. */
function bounded(lines: readonly string[]): string {
	const [first = "", ...others] = lines;
	let text = cutStart(first, MAX_TEXT_CHARS);
	if (text.length < first.length) return text;
	for (const line of others) {
		if (text.length + line.length + 1 > MAX_TEXT_CHARS) break;
		text += `\n${line}`;
	}
	return text;
}
