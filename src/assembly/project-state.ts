/** Everything that is folded in memory for a project, in one place: what its runner is made with. */
import { type StateLog, StateRunner, type StateRunnerOptions } from "../projection/state.ts";
import { WORK_FOLDS, type WorkState } from "../work/state.ts";

export type ProjectState = WorkState;

export function projectState(log: StateLog, options: StateRunnerOptions = {}): StateRunner<ProjectState> {
	return new StateRunner<ProjectState>(log, WORK_FOLDS, options);
}
