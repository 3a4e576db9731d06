/** All state that is folded in memory for a project: one runner, one series of snapshots. */

import { GUARD_FOLDS, type GuardState } from "../guard/guard.ts";
import { type Folds, type StateLog, StateRunner, type StateRunnerOptions } from "../log/fold/state-runner.ts";
import { type OwedState, owedFold } from "../state/memory/owed-fold.ts";
import { rememberedFold } from "../state/memory/remembered-fold.ts";
import { notesFold } from "../state/memory/session/notes-fold.ts";
import { type DueState, dueFold } from "../state/memory/session/update-due-fold.ts";
import { threadFold } from "../state/thread/thread-fold.ts";
import { pathFold } from "../state/work/path-fold.ts";
import { touchFold } from "../state/work/touch-fold.ts";
import { type WholeLog, wholeLog } from "../state/work/whole-log.ts";
import { WORK_FOLDS } from "../state/work/work-state.ts";
import { type ReportedState, reportedFold } from "./cache/reported-fold.ts";
import { type PauseState, pauseFold } from "./seal/pause-fold.ts";
import { type RereadState, rereadFold } from "./seal/reread-fold.ts";
import type { SeedState } from "./section/seed.ts";

export interface ProjectState extends SeedState {
	readonly rereads: RereadState;
	readonly pauses: PauseState;
	/** Events since each SESSION.md was written. */
	readonly due: DueState;
	/** Sessions that are still to be consolidated. */
	readonly owed: OwedState;
	/** Facts that providers reported. */
	readonly reported: ReportedState;
	/** The files that each session knows: the guard's record. */
	readonly seen: GuardState["files"];
	readonly verdicts: GuardState["verdicts"];
	readonly order: GuardState["order"];
	readonly loop: GuardState["loop"];
}

/** The folds that a seed is rendered from. */
const SEED_FOLDS: Folds<SeedState> = {
	...WORK_FOLDS,
	touches: touchFold,
	paths: pathFold,
	notes: notesFold,
	remembered: rememberedFold,
	thread: threadFold,
};

export const PROJECT_FOLDS: Folds<ProjectState> = {
	...SEED_FOLDS,
	due: dueFold,
	owed: owedFold,
	rereads: rereadFold,
	pauses: pauseFold,
	reported: reportedFold,
	seen: GUARD_FOLDS.files,
	verdicts: GUARD_FOLDS.verdicts,
	order: GUARD_FOLDS.order,
	loop: GUARD_FOLDS.loop,
};

/** Pruned events are derived again where possible; a whole log may add more, from archives. */
export function projectState(log: StateLog | WholeLog, options: StateRunnerOptions = {}): StateRunner<ProjectState> {
	return new StateRunner<ProjectState>("recalled" in log ? log : wholeLog(log), PROJECT_FOLDS, options);
}

/** The guard's part of it. */
export function guardState({ seen, verdicts, order, loop }: ProjectState): GuardState {
	return { files: seen, verdicts, order, loop };
}
