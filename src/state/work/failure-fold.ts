/**
 * Folds failures: joins each command with its output and hands both to the rules in `failure/`. The output is in the
 * message that caused the command. Messages come before their events, so the fold holds the newest message's outputs.
 */
import type { EventRecord } from "../../log/event/types.ts";
import { emptyRecent, getKey, getRecent, type Keyed, putRecent, type Recent, setKey } from "../../log/fold/keyed.ts";
import { numberIn, type StateFold, textIn } from "../../log/fold/state-fold.ts";
import { handleOf } from "../../log/handle.ts";
import { viewMessage } from "../../message/view.ts";
import { MAX_SESSIONS } from "./current-session-fold.ts";
import { foldFailures } from "./failure/lifecycle.ts";
import { outputsOf } from "./failure/run-reading.ts";
import { FAILURE_FOLD_VERSION, type FailureState, NO_FAILURES } from "./failure/types.ts";

export interface FailuresState {
	failures: FailureState;
	/** Outputs of the newest message that had any, by call id. "" is the user's own command. */
	held: { readonly message: number; readonly outputs: Keyed<string> } | null;
	places: Recent<{ readonly cwd: string; readonly root: string | null }>;
}

export const failureFold: StateFold<FailuresState> = {
	name: "failures",
	version: FAILURE_FOLD_VERSION * 100 + 3,
	initial: () => ({ failures: structuredClone(NO_FAILURES), held: null, places: emptyRecent() }),
	step(state, record) {
		switch (record.type) {
			case "SessionStarted":
				return started(state, record);
			case "Message":
				return hold(state, record);
			case "CommandRun":
				return ran(state, record);
			case "FileChanged": {
				const path = textIn(record.payload, "path") ?? "";
				state.failures = foldFailures(state.failures, { kind: "change", seq: record.seq, path });
			}
		}
	},
};

function started(state: FailuresState, { session, payload }: EventRecord): void {
	const cwd = textIn(payload, "cwd");
	if (cwd === null) return;
	putRecent(state.places, session, { cwd, root: textIn(payload, "root") }, MAX_SESSIONS);
}

function hold(state: FailuresState, { seq, payload }: EventRecord): void {
	state.held = null;
	const role = payload["role"];
	if (role !== "toolResult" && role !== "bashExecution" && payload["form"] !== "anthropic") return;
	const found = outputsOf(viewMessage(payload));
	if (found.size === 0) return;
	const outputs: Keyed<string> = {};
	for (const [callId, output] of found) setKey(outputs, callId, output);
	state.held = { message: seq, outputs };
}

function ran(state: FailuresState, record: EventRecord): void {
	const { seq, ts, session, cause, payload } = record;
	const command = textIn(payload, "command");
	if (command === null) return;
	const held = state.held?.message === cause ? state.held.outputs : {};
	const output = getKey(held, payload["by"] === "user" ? "" : (textIn(payload, "callId") ?? "")) ?? "";
	const place = getRecent(state.places, session);
	state.failures = foldFailures(state.failures, {
		kind: "run",
		seq,
		handle: handleOf(record),
		ts,
		command,
		exit: numberIn(payload, "exit"),
		output,
		cwd: place?.cwd,
		root: place?.root ?? undefined,
	});
}
