/**
 * The subject of a call: the class of its tool, the files that its arguments name, and the session's record of such a
 * file.
 */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { asList, asName, asObject } from "../base/json/read.ts";
import { getRecent, newestFirst } from "../log/fold/keyed.ts";
import { sessionKey } from "../log/session-ref.ts";
import { patchedBy, pathOf } from "../state/session/file-change.ts";
import { sessionPath } from "../state/session/session-path.ts";
import { type ToolClass, toolClass } from "../state/session/tool-class.ts";
import { sameStat } from "./compare.ts";
import { type FileRecord, findRecord, type GuardedFiles } from "./file-record.ts";
import type { DiskLook, FilePort, FileStat, GuardCall, GuardSettings } from "./types.ts";

export function classOf(call: Pick<GuardCall, "tool">, settings: Pick<GuardSettings, "toolClasses">): ToolClass {
	return toolClass(call.tool, settings.toolClasses);
}

/** It names the text that it replaces, so it fails by itself if the text is missing. */
export function isPatchEdit(of: ToolClass): boolean {
	return of === "edit" || of === "patch";
}

/** It may change any file, without naming it. */
export function mayChangeAnything(of: ToolClass): boolean {
	return of === "shell" || of === "agent" || of === "other";
}

export interface Target {
	/** As events name it. */
	readonly path: string;
	/** For the disk. */
	readonly absolute: string;
}

export interface NamedTarget extends Target {
	/** The call changes files in several places; this one it overwrites. */
	readonly isOverwritten?: true | undefined;
}

export function targetsOf(call: GuardCall, of: ToolClass): readonly NamedTarget[] {
	if (of === "patch") return patchedFiles(call);
	const named = paths(call);
	return [...new Set(named)].map((path) => locateNamed(path, call));
}

function patchedFiles(call: GuardCall): NamedTarget[] {
	const changes = patchedBy(call.input);
	const overwritten = new Set(
		changes.filter(({ kind, movedFrom }) => kind === "write" || movedFrom !== undefined).map(({ path }) => path),
	);
	return [...new Set(changes.map(({ path }) => path))].map((path) => {
		const target = locateNamed(path, call);
		return overwritten.has(path) ? { ...target, isOverwritten: true } : target;
	});
}

/** The file of a path in the call itself. */
export function locateNamed(path: string, { cwd, folder = cwd }: Pick<GuardCall, "cwd" | "folder">): Target {
	return locate(folder === cwd ? path : locate(path, folder).absolute, cwd);
}

/** The file of a path in an event. Depends on the text alone, so it is cached. */
export function locate(path: string, cwd: string): Target {
	const key = `${cwd}\0${path}`;
	const known = located.get(key);
	if (known) return known;
	const target = { path: sessionPath(path, cwd), absolute: absolutePath(path, cwd) };
	if (located.size >= MAX_LOCATED) located.clear();
	located.set(key, target);
	return target;
}

/**
 * The file at a path. Some agents pass a path with the @ of a mention; the @ is dropped only if no file has that name.
 */
export function lookAt(
	target: Target,
	files: FilePort,
	cwd: string,
): { readonly look: DiskLook; readonly target: Target } {
	const look = files.stat(target.absolute);
	if (look.kind !== "absent" || !target.path.startsWith("@")) return { look, target };
	const bare = locate(target.path.slice(1), cwd);
	const found = files.stat(bare.absolute);
	return found.kind === "absent" ? { look, target } : { look: found, target: bare };
}

const MAX_LOCATED = 2_000;
const located = new Map<string, Target>();

function paths(call: GuardCall): string[] {
	const one = pathOf(call.input);
	const several = asList(call.input["edits"]).flatMap((edit) => asName(asObject(edit)?.["path"]) ?? []);
	return one === undefined ? several : [one, ...several];
}

function absolutePath(path: string, cwd: string): string {
	const spelt = path.trim().replace(/^file:\/\/(?=\/)/, "");
	return resolve(cwd, spelt === "~" || /^~[/\\]/.test(spelt) ? `${homedir()}${spelt.slice(1)}` : spelt);
}

/** Records without a real path come from a transcript alone. */
const MAX_RESOLVED = 64;

/**
 * The record of the file at a path. The name is enough while the stat matches the record: device and inode prove that it
 * is the same file. Only otherwise is the real path resolved. That costs as much as several stats and is never cached:
 * any folder on the way may have become a symlink.
 */
export function findKnownFile(
	state: GuardedFiles,
	call: Pick<GuardCall, "session" | "host" | "cwd">,
	target: Target,
	stat: FileStat,
	files: FilePort,
): FileRecord | undefined {
	const named = findRecord(state, call, target.path);
	if (named?.stat && sameStat(named.stat, stat)) return named;
	const real = files.realpath(target.absolute);
	const resolved = real === undefined ? undefined : findRecord(state, call, target.path, real);
	return resolved ?? named ?? (real === undefined ? undefined : findUnresolved(state, call, real, files));
}

function findUnresolved(
	state: GuardedFiles,
	call: Pick<GuardCall, "session" | "host" | "cwd">,
	real: string,
	files: FilePort,
): FileRecord | undefined {
	const session = getRecent(state.sessions, sessionKey(call));
	if (!session) return undefined;
	let tried = 0;
	for (const [, record] of newestFirst(session.files)) {
		if (record.real !== null) continue;
		if (++tried > MAX_RESOLVED) return undefined;
		if (files.realpath(locate(record.path, call.cwd).absolute) === real) return record;
	}
	return undefined;
}
