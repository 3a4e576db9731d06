/** How a command's result changes the known failures, before the result is recorded. */

import type { Engine } from "../../engine.ts";
import type { GuardCall } from "../../guard/types.ts";
import type { ResultBlock } from "../../message/view.ts";
import { exitOf } from "../../state/session/derived-events.ts";
import { commandText } from "../../state/session/shell-command.ts";
import { toolClass } from "../../state/session/tool-class.ts";
import { foldFailures } from "../../state/work/failure/lifecycle.ts";
import type { Failure, FailureState } from "../../state/work/failure/types.ts";

export interface FailureChange {
	readonly after: FailureState;
	/** seq of the newest event before the result; the result counts as the next one. */
	readonly newest: number;
}

/** Undefined: the call is no command. */
export function failureChange(engine: Engine, call: GuardCall, result: ResultBlock): FailureChange | undefined {
	const { tool, input, cwd } = call;
	const command = commandText(input);
	if (toolClass(tool) !== "shell" || command === undefined) return undefined;
	const before = engine.stateFor(call).state.failures.failures;
	const newest = engine.log.newestSeq();
	const exit = exitOf({ tool, class: "shell", input }, result);
	const run = { command, exit, output: result.text, cwd, root: engine.project.root };
	const after = foldFailures(before, { kind: "run", seq: newest + 1, handle: "", ts: 0, ...run });
	return { after, newest };
}

/** The failures that this result shows. */
export function failuresIn({ after, newest }: FailureChange): Failure[] {
	return after.open.filter(({ lastSeq }) => lastSeq > newest);
}
