/**
 * How far a session's requests were looked through for what lasts. Kept for the process, because some agents open the log for each
 * turn; another process begins where the last consolidation ended. It counts only if the log still has its event, by chain hash.
 */
import { BoundedMap } from "../../../base/collection/bounded.ts";
import type { Log } from "../../../log/log.ts";
import { type SessionRef, sessionKey } from "../../../log/session-ref.ts";

interface PromotedUpTo {
	readonly seq: number;
	readonly hash: string;
}

const MAX_SESSIONS = 256;
const marks = new BoundedMap<string, PromotedUpTo>(MAX_SESSIONS);

/** seq of the newest request that was looked through; undefined: not known here. */
export function promotedUpTo(log: Log, session: SessionRef): number | undefined {
	const mark = marks.get(keyIn(log, session));
	return mark && log.hashAt(mark.seq) === mark.hash ? mark.seq : undefined;
}

export function markPromoted(log: Log, session: SessionRef, seq: number): void {
	const hash = seq < 0 ? undefined : log.hashAt(seq);
	if (hash !== undefined) marks.set(keyIn(log, session), { seq, hash });
}

function keyIn(log: Log, session: SessionRef): string {
	return `${log.path} ${sessionKey(session)}`;
}
