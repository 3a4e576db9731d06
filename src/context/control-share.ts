/**
 * Which sessions run without shortening, so that a user can measure what weft saves: the setting `controlShare`. The session's id
 * decides, so every process, and every later look at the log, gives the same answer.
 */
import { sha256 } from "../base/hash/sha256.ts";
import type { Log } from "../log/log.ts";
import type { SessionRef } from "../log/session-ref.ts";

/** In eight hex digits. */
const HASH_RANGE = 2 ** 32;

export function isControl(session: string, share = 0): boolean {
	if (share <= 0) return false;
	// A sub-agent belongs to the session that began it.
	const [parent = ""] = session.split("/");
	return Number.parseInt(sha256(parent).slice(0, 8), 16) / HASH_RANGE < share;
}

/** In a Custom event of the session: the share at that time, and whether the session runs without shortening. */
const CONTROL_EVENT = "control-share";

/** The setting may change later: a session keeps what it began with, for `weft trial --report`. */
export function controlEvent(session: SessionRef, share: number) {
	const payload = { name: CONTROL_EVENT, data: { share, control: isControl(session.session, share) } };
	return { type: "Custom", ...session, entry: CONTROL_EVENT, payload } as const;
}

/** True: it ran without shortening; undefined: it takes no part in the comparison. */
export function wasControl(log: Log, session: SessionRef): boolean | undefined {
	for (const { entry, payload } of log.read({ ...session, types: ["Custom"] })) {
		if (entry !== CONTROL_EVENT) continue;
		const data = payload["data"] as { readonly control?: unknown } | undefined;
		if (typeof data?.control === "boolean") return data.control;
	}
	return undefined;
}
