/**
 * One look before every command, whatever its line says: which of the session's known files hold text that the model has not
 * seen? A stat for each; only a file that differs is read.
 */
import { getRecent, newestFirst } from "../log/fold/keyed.ts";
import { sessionKey } from "../log/session-ref.ts";
import { locate, type Target } from "./call.ts";
import { compare } from "./compare.ts";
import type { World } from "./judge.ts";
import type { GuardCall } from "./types.ts";

export interface UnseenFile {
	readonly target: Target;
	/** SHA-256 of the bytes before the command; undefined: too large to tell. */
	readonly hash: string | undefined;
}

const MAX_FILES = 64;

export function findUnseenFiles(call: GuardCall, { state, files }: World): UnseenFile[] {
	const session = getRecent(state.files.sessions, sessionKey(call));
	if (!session) return [];
	const unseen: UnseenFile[] = [];
	let looked = 0;
	for (const [, record] of newestFirst(session.files)) {
		if (++looked > MAX_FILES) break;
		const target = locate(record.path, call.cwd);
		const look = files.stat(target.absolute);
		if (look.kind !== "file" || look.stat.size === 0) continue;
		const comparison = compare(record, target.absolute, look.stat, files);
		if (comparison.kind === "changed") unseen.push({ target, hash: comparison.digest.hash });
		else if (record.unread.length > 0 && record.hash !== null) unseen.push({ target, hash: record.hash });
	}
	return unseen;
}
