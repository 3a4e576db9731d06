/**
 * Which sessions have patches of the system text, the tools or the options. They hold for good, so a session that has any needs all
 * of its patches; any other needs only those of the messages that are still sent.
 */
import { asList, asObject, asText } from "../../base/json/read.ts";
import { getKey, type Keyed, setKey } from "../../log/fold/keyed.ts";
import type { StateFold } from "../../log/fold/state-fold.ts";
import { type SessionRef, sessionKey } from "../../log/session-ref.ts";
import { isBeyondMessages } from "./operation.ts";

export interface BasePatchState {
	/** By host and session. */
	sessions: Keyed<true>;
	count: number;
}

/** With more sessions than this, any may have such patches. */
const MAX_SESSIONS = 500;

export const basePatchFold: StateFold<BasePatchState> = {
	name: "base-patches",
	version: 1,
	initial: () => ({ sessions: {}, count: 0 }),
	step(state, { type, session, host, payload }) {
		if (type !== "Transform" || payload["reason"] === "ephemeral" || hasBasePatches(state, { session, host })) return;
		if (!asList(payload["patch"]).some((op) => isBeyondMessages(asText(asObject(op)?.["op"]) ?? ""))) return;
		state.count++;
		if (state.count <= MAX_SESSIONS) setKey(state.sessions, sessionKey({ session, host }), true);
	},
};

export function hasBasePatches({ sessions, count }: BasePatchState, session: SessionRef): boolean {
	return count > MAX_SESSIONS || getKey(sessions, sessionKey(session)) === true;
}
