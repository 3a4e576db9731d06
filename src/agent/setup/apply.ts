/**
 * Applies a plan, and undoes it. Before it writes, it saves every file's text under weft's home, so that undo works even
 * after a crash. Undo restores a file byte for byte if it has not changed since. Otherwise it removes only our part, if the
 * change says how; if not, it leaves the file alone and tells the person. An agent may have several settings folders: each is
 * undone on its own, and the files that they share with the last one.
 */
import { chmodSync, existsSync, lstatSync, mkdirSync, realpathSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { EngineError } from "../../base/error/engine-error.ts";
import { writeAtomically, writeError } from "../../base/file/atomic-write.ts";
import { readBounded, realPath } from "../../base/file/regular-file.ts";
import { parseObject } from "../../base/json/read.ts";
import { makePrivateFolder } from "../../log/home.ts";
import type { AgentName, SetupChange } from "./contract.ts";
import { type TakenOut, takeFromJson } from "./json-edit.ts";
import { withoutTable } from "./toml-table.ts";

/** The changes applied for an agent, oldest first. */
export interface Applied {
	readonly agent: AgentName;
	readonly changes: readonly AppliedChange[];
}

export interface AppliedChange extends SetupChange {
	/** The agent's settings folder that it was made for. */
	readonly folder: string;
	/** The folders that were made for the file, the innermost first. */
	readonly folders: readonly string[];
}

export type Undone =
	/** `says`: the values that the user has changed since, which stay. */
	| { readonly file: string; readonly kind: "restored" | "taken-out" | "was-gone"; readonly says?: string | undefined }
	/** `says`: what to do by hand. */
	| { readonly file: string; readonly kind: "left"; readonly says: string };

const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** The text of a file; undefined if it does not exist. Throws for one that is not text. */
export function readForPlan(file: string): string | undefined {
	const reading = readBounded(file, MAX_FILE_BYTES);
	if (reading.kind === "absent") return undefined;
	if (reading.kind === "bytes") {
		const text = reading.bytes.toString("utf8");
		if (Buffer.from(text, "utf8").equals(reading.bytes)) return text;
	}
	throw new EngineError("unknown-format", `${file} cannot be read as text. Nothing was changed.`);
}

/** The changes that have not been undone; undefined: none. */
export function readApplied(home: string, agent: AgentName): Applied | undefined {
	const path = recordPath(home, agent);
	const reading = readBounded(path, 8 * MAX_FILE_BYTES);
	if (reading.kind === "absent") return undefined;
	const record = reading.kind === "bytes" ? parseObject(reading.bytes.toString("utf8")) : undefined;
	if (!record || !Array.isArray(record["changes"]))
		throw new EngineError("damaged", `${path} cannot be read. It records what 'weft init' changed for ${agent}.`);
	return { agent, changes: record["changes"] as AppliedChange[] };
}

/** `folder`: the agent's settings. Skips files that already hold the planned text. Returns the changes that it wrote. */
export function applyChanges(
	home: string,
	agent: AgentName,
	folder: string,
	changes: readonly SetupChange[],
): readonly SetupChange[] {
	const due = changes.filter(({ file, after }) => readForPlan(file) !== after);
	for (const { file, before } of due) {
		if (readForPlan(file) !== before)
			throw new EngineError("refused", `${file} changed while you were asked. Run 'weft init ${agent}' again.`);
		const why = whyNotWritten(file);
		if (why !== undefined) throw new EngineError("read-only", `${file} ${why} Nothing was written.`);
	}
	if (due.length === 0) return due;
	const earlier = readApplied(home, agent)?.changes ?? [];
	const added = due.map((change) => {
		// A variable may name the folder as seen from here; the undo may be asked for elsewhere.
		const file = resolve(change.file);
		return { ...change, file, folder: resolve(folder), folders: missingFolders(file) };
	});
	writeRecord(home, { agent, changes: joinChanges(earlier, added) });
	for (const change of due) writeText(change.file, change.after, change.mode);
	return due;
}

/** Newest first. Changes that it could not undo stay on record for another try. */
export function undoChanges(home: string, agent: AgentName, folder: string): readonly Undone[] {
	const changes = readApplied(home, agent)?.changes ?? [];
	const undone: Undone[] = [];
	const left: AppliedChange[] = [];
	const isElsewhere = (change: AppliedChange) => !isSameFolder(change.folder, folder);
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

/** A file outside the settings folder: weft's own, which all settings folders use. */
function isShared({ file, folder }: AppliedChange): boolean {
	return !file.startsWith(folder + sep);
}

/** However they are spelt, and through links. */
export function isSameFolder(one: string, other: string): boolean {
	return (realPath(one) ?? resolve(one)) === (realPath(other) ?? resolve(other));
}

/** The settings folders in which an agent has weft. */
export function foldersApplied(home: string, agent: AgentName): readonly string[] {
	const changes = readApplied(home, agent)?.changes ?? [];
	const folders = changes.flatMap((change) => (isShared(change) ? [] : change.folder));
	return [...new Set(folders)];
}

function undo(change: AppliedChange): Undone {
	const { file, before, after, what } = change;
	const held = readForPlan(file);
	if (held === undefined) {
		removeEmpty(change.folders);
		return { file, kind: "was-gone" };
	}
	// A crash came between the record and the file.
	if (held === before) return { file, kind: "restored" };
	const why = whyNotWritten(file);
	if (why !== undefined) return { file, kind: "left", says: `${file} ${why} Remove by hand: ${what}` };
	const isAsLeft = held === after;
	const rest = isAsLeft ? { text: before, kept: [] } : withoutOurs(held, change);
	if (!rest)
		return {
			file,
			kind: "left",
			says: `${file} has changed since, where weft had written, so it was left alone. Remove by hand: ${what}`,
		};
	const { text, kept } = rest;
	const isEmpty = before === undefined && /^\s*(?:\{\s*\}\s*)?$/.test(text ?? "");
	if (text === undefined || isEmpty) {
		remove(file);
		removeEmpty(change.folders);
	} else writeText(file, text);
	const says = kept.length === 0 ? undefined : `${file}: ${kept.join(", ")} has another value since and stays.`;
	return { file, kind: isAsLeft ? "restored" : "taken-out", says };
}

function withoutOurs(held: string, { ours, before }: SetupChange): TakenOut | undefined {
	if (ours?.kind === "json") return takeFromJson(held, ours.edits, before);
	if (ours?.kind !== "table") return undefined;
	const text = withoutTable(held, ours.table);
	return text === held ? undefined : { text, kept: [] };
}

/** A file that we wrote before keeps its oldest text, unless someone else changed it in between. */
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

/** A sentence without its subject; undefined: the file can be written. */
function whyNotWritten(file: string): string | undefined {
	const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	const stat = statSync(file, { throwIfNoEntry: false });
	if (isLink && !stat) return "is a link to a file that does not exist.";
	if (stat && (stat.mode & OWNER_WRITES) === 0) return "is read-only: something else makes it.";
	return undefined;
}

/** Follows a link: settings are often links into the user's own repository. */
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
			// The folder is gone or in use.
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
