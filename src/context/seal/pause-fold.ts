/**
 * Is this a good moment for a seal? Yes after a test, a build, a lint, a commit or a message of the user, when a piece
 * of work is done. No right after an edit: the next edit of a chain needs the text that the seal would drop.
 */

import { commandIdentity } from "../../base/shell/identity.ts";
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getRecent, putRecent, type Recent } from "../../log/fold/keyed.ts";
import { type StateFold, textIn } from "../../log/fold/state-fold.ts";

/** The kind of the newest round of a session. */
export type Pause = "rest" | "edit" | "work";

export interface PauseState {
	sessions: Recent<Pause>;
}

const KEPT_SESSIONS = 64;

export const pauseFold: StateFold<PauseState> = {
	name: "pauses",
	version: 1,
	initial: () => ({ sessions: emptyRecent() }),
	step(state, record) {
		const next = pauseAfter(record, pauseIn(state, record.session));
		if (next !== undefined) putRecent(state.sessions, record.session, next, KEPT_SESSIONS);
	},
};

export function pauseIn(state: PauseState, session: string): Pause {
	return getRecent(state.sessions, session) ?? "work";
}

/** One edit in a round makes it an edit, whatever else ran beside it. */
function pauseAfter({ type, payload }: EventRecord, before: Pause): Pause | undefined {
	switch (type) {
		case "UserIntent":
			return "rest";
		case "ToolCalled":
			return "work";
		case "FileChanged":
			return payload["actor"] === "agent" ? "edit" : undefined;
		case "TestStatus":
			return before === "edit" ? undefined : "rest";
		case "CommandRun":
			return before !== "edit" && isDone(textIn(payload, "command") ?? "") ? "rest" : undefined;
	}
	return undefined;
}

const CHECKS = /(?:^|[\s:/_-])(?:test|tests|build|lint|check|typecheck|tsc|vet|clippy)(?:$|[\s:/_.-])/;

/** It checked or kept what was done. */
function isDone(command: string): boolean {
	const { kind, parts } = commandIdentity(command);
	return parts.some(({ words, text }) =>
		kind === "work" ? CHECKS.test(text) : words[0] === "git" && words.includes("commit"),
	);
}
