/**
 * The record of the file that a path leads to. The name alone suffices while the stat is that of the record: device and
 * inode prove that the path still leads to the same file. Only otherwise is the real path asked for, which costs as much
 * as several stats, and is never remembered: any folder on the way may have become a symlink.
 */

import { getRecent, newestFirst } from "../fold/keyed.ts";
import { locate, type Target } from "./call-path.ts";
import { type FileRecord, type FileState, findRecord, sessionKey } from "./file-record.ts";
import { sameStat } from "./stat.ts";
import type { FilePort, FileStat, GuardCall } from "./types.ts";

/** Records that have no real path yet come from a transcript alone. */
const MOST_RESOLVED = 64;

export function fileKnown(
	state: FileState,
	call: Pick<GuardCall, "session" | "host" | "cwd">,
	target: Target,
	stat: FileStat,
	files: FilePort,
): { readonly record: FileRecord } | undefined {
	const named = findRecord(state, call, target.path);
	if (named?.stat && sameStat(named.stat, stat)) return { record: named };
	const real = files.realpath(target.absolute);
	const resolved = real === undefined ? undefined : findRecord(state, call, target.path, real);
	const record = resolved ?? named ?? (real === undefined ? undefined : unresolved(state, call, real, files));
	return record && { record };
}

function unresolved(
	state: FileState,
	call: Pick<GuardCall, "session" | "host" | "cwd">,
	real: string,
	files: FilePort,
): FileRecord | undefined {
	const session = getRecent(state.sessions, sessionKey(call));
	if (!session) return undefined;
	let tried = 0;
	for (const [, record] of newestFirst(session.files)) {
		if (record.real !== null) continue;
		if (++tried > MOST_RESOLVED) return undefined;
		if (files.realpath(locate(record.path, call.cwd).absolute) === real) return record;
	}
	return undefined;
}
