/**
 * Writes what a plan says, and takes it back. What a file held before is kept under weft's home before anything is
 * written, so a crash in between can be undone too. Undo gives a file back byte for byte if nobody changed it since;
 * else only ours is taken out, where the change says how; else the file is left alone and the person is told.
 * An agent may have several folders of settings: each is undone by itself, and what they share with the last one.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeAtomically } from "../../base/file/atomic.ts";
import { readBounded } from "../../base/file/regular.ts";
import { writeError } from "../../base/file/write-error.ts";
import { parseObject } from "../../base/json/read.ts";
import { makePrivateFolder } from "../../log/home.ts";
import type { AgentName, SetupChange } from "./contract.ts";
import { type TakenOut, takeFromJson } from "./json-edit.ts";
import { withoutTable } from "./toml-table.ts";

/** What was applied for an agent, in the order of the writing. */
export interface Applied {
	readonly agent: AgentName;
	readonly changes: readonly AppliedChange[];
}

export interface AppliedChange extends SetupChange {
	/** The agent's folder of settings that it was made for. Older records have none. */
	readonly folder?: string | undefined;
	/** Folders that were made for the file, the innermost first. */
	readonly folders: readonly string[];
}

export type Undone =
	/** `says`: what the user has set otherwise since, and what stays therefore. */
	| { readonly file: string; readonly kind: "restored" | "taken-out" | "was-gone"; readonly says?: string | undefined }
	/** `says` tells what to do. */
	| { readonly file: string; readonly kind: "left"; readonly says: string };

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The text of a file that a plan is about; undefined where there is none. */
export function readForPlan(file: string): string | undefined {
	const reading = readBounded(file, MAX_FILE_BYTES);
	if (reading.kind === "absent") return undefined;
	if (reading.kind === "bytes") {
		const text = reading.bytes.toString("utf8");
		if (Buffer.from(text, "utf8").equals(reading.bytes)) return text;
	}
	throw new EngineError("unknown-format", `${file} cannot be read as text. Nothing was changed.`);
}

/** What was applied before and not undone; undefined: nothing. */
export function readApplied(home: string, agent: AgentName): Applied | undefined {
	const path = recordPath(home, agent);
	const reading = readBounded(path, 8 * MAX_FILE_BYTES);
	if (reading.kind === "absent") return undefined;
	const record = reading.kind === "bytes" ? parseObject(reading.bytes.toString("utf8")) : undefined;
	if (!record || !Array.isArray(record["changes"]))
		throw new EngineError("damaged", `${path} cannot be read. It says what 'weft init' changed for ${agent}.`);
	return { agent, changes: record["changes"] as AppliedChange[] };
}

/** `folder`: the agent's settings. Changes whose file already holds what is wanted are passed over. Returns those that were written. */
export function applyChanges(
	home: string,
	agent: AgentName,
	folder: string,
	changes: readonly SetupChange[],
): readonly SetupChange[] {
	const due = changes.filter(({ file, after }) => readForPlan(file) !== after);
	for (const { file, before } of due) {
		if (readForPlan(file) !== before)
			throw new EngineError("refused", `${file} was changed while you were asked. Run 'weft init ${agent}' again.`);
		const why = whyNotWritten(file);
		if (why !== undefined) throw new EngineError("read-only", `${file} ${why} Nothing was written.`);
	}
	if (due.length === 0) return due;
	const earlier = readApplied(home, agent)?.changes ?? [];
	const added = due.map((change) => ({ ...change, folder, folders: missingFolders(change.file) }));
	writeRecord(home, { agent, changes: joinChanges(earlier, added) });
	for (const change of due) writeText(change.file, change.after, change.mode);
	return due;
}

/** Newest first. What could not be taken back stays on record, so that it can be tried again. */
export function undoChanges(home: string, agent: AgentName, folder: string): readonly Undone[] {
	const changes = readApplied(home, agent)?.changes ?? [];
	const undone: Undone[] = [];
	const left: AppliedChange[] = [];
	const isElsewhere = (change: AppliedChange) => (change.folder ?? folder) !== folder;
	const isUsed = changes.some((change) => isElsewhere(change) && !isShared(change));
	for (const change of changes.toReversed()) {
		if (isShared(change) ? isUsed : isElsewhere(change)) {
			left.unshift(change);
			continue;
		}
		const result = undo(change);
		undone.push(result);
		if (result.kind === "left") left.unshift(change);
	}
	if (left.length > 0) writeRecord(home, { agent, changes: left });
	else rmSync(recordPath(home, agent), { force: true });
	return undone;
}

/** A file of weft's own, which all folders of the agent's settings name. */
function isShared({ file, folder }: AppliedChange): boolean {
	return folder !== undefined && !file.startsWith(folder + sep);
}

/** The folders of settings in which an agent has weft. */
export function foldersApplied(home: string, agent: AgentName): readonly string[] {
	const changes = readApplied(home, agent)?.changes ?? [];
	const folders = changes.flatMap((change) => (isShared(change) ? [] : (change.folder ?? [])));
	return [...new Set(folders)];
}

function undo(change: AppliedChange): Undone {
	const { file, before, after, what } = change;
	const held = readForPlan(file);
	if (held === undefined) {
		removeEmpty(change.folders);
		return { file, kind: "was-gone" };
	}
	// Written to the record, but not to the file: a crash came in between.
	if (held === before) return { file, kind: "restored" };
	const why = whyNotWritten(file);
	if (why !== undefined) return { file, kind: "left", says: `${file} ${why} Take out by hand: ${what}` };
	const isAsLeft = held === after;
	const rest = isAsLeft ? { text: before, kept: [] } : withoutOurs(held, change);
	if (!rest)
		return {
			file,
			kind: "left",
			says: `${file} was changed since, where weft had written. It was left alone. Take out by hand: ${what}`,
		};
	const { text, kept } = rest;
	const isEmpty = before === undefined && /^\s*(?:\{\s*\}\s*)?$/.test(text ?? "");
	if (text === undefined || isEmpty) {
		remove(file);
		removeEmpty(change.folders);
	} else writeText(file, text);
	const says = kept.length === 0 ? undefined : `${file}: ${kept.join(", ")} was set to something else since and stays.`;
	return { file, kind: isAsLeft ? "restored" : "taken-out", says };
}

function withoutOurs(held: string, { ours, before }: SetupChange): TakenOut | undefined {
	if (ours?.kind === "json") return takeFromJson(held, ours.edits, before);
	if (ours?.kind !== "table") return undefined;
	const text = withoutTable(held, ours.table);
	return text === held ? undefined : { text, kept: [] };
}

/** A file that was written before keeps its oldest text if nobody else changed it in between. */
function joinChanges(earlier: readonly AppliedChange[], added: readonly AppliedChange[]): AppliedChange[] {
	const joined = [...earlier];
	for (const change of added) {
		const at = joined.findIndex(({ file }) => file === change.file);
		const old = joined[at];
		if (!old) joined.push(change);
		else if (old.after === change.before) joined[at] = { ...change, before: old.before, folders: old.folders };
		else
			joined[at] = {
				...change,
				before: withoutOurs(change.before ?? "", old)?.text ?? change.before,
				folders: old.folders,
			};
	}
	return joined;
}

const OWNER_WRITES = 0o200;

/** Another program's file, as a sentence; undefined: it can be written. */
function whyNotWritten(file: string): string | undefined {
	const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	const stat = statSync(file, { throwIfNoEntry: false });
	if (isLink && !stat) return "is a link to a file that is not there.";
	if (stat && (stat.mode & OWNER_WRITES) === 0) return "is read-only: something else makes it.";
	return undefined;
}

/** Through a link to what it names: settings are often links into a repository of the user's. */
function writeText(file: string, text: string, mode?: number): void {
	try {
		mkdirSync(dirname(file), { recursive: true });
		const target = existsSync(file) ? realpathSync(file) : file;
		const kept = statSync(target, { throwIfNoEntry: false })?.mode;
		writeAtomically(target, text, mode ?? 0o600);
		if (kept !== undefined) chmodSync(target, kept & 0o7777);
		else if (mode !== undefined) chmodSync(target, mode);
	} catch (cause) {
		throw writeError(cause, file);
	}
}

function remove(file: string): void {
	try {
		rmSync(file, { force: true });
	} catch (cause) {
		throw writeError(cause, file);
	}
}

function missingFolders(file: string): string[] {
	const missing: string[] = [];
	for (let at = dirname(file); !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at);
	return missing;
}

function removeEmpty(folders: readonly string[]): void {
	for (const folder of folders) {
		try {
			rmdirSync(folder);
		} catch {
			// Somebody put something there, or it is gone.
			return;
		}
	}
}

function writeRecord(home: string, applied: Applied): void {
	const path = recordPath(home, applied.agent);
	makePrivateFolder(dirname(path));
	try {
		writeAtomically(path, `${JSON.stringify(applied, null, "\t")}\n`);
	} catch (cause) {
		throw writeError(cause, path);
	}
}

function recordPath(home: string, agent: AgentName): string {
	return join(home, "setup", `${agent}.json`);
}
