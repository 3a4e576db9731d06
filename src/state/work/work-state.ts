/** The state of the work, and the folds that make its parts. */
import type { Folds } from "../../log/fold/state-runner.ts";
import { type SessionsState, sessionsFold } from "./current-session-fold.ts";
import { type DecisionState, decisionFold } from "./decision-fold.ts";
import { type FailuresState, failureFold } from "./failure-fold.ts";
import { type FilesState, fileFold } from "./file-fold.ts";
import { type IntentState, intentFold } from "./intent-fold.ts";
import { type LatencyState, latencyFold } from "./latency-fold.ts";
import type { ProgressState } from "./progress.ts";
import { progressFold } from "./progress-fold.ts";
import { type RepoState, repoFold } from "./repo-fold.ts";

export interface WorkState {
	readonly sessions: SessionsState;
	readonly files: FilesState;
	readonly failures: FailuresState;
	readonly decisions: DecisionState;
	readonly intent: IntentState;
	readonly repo: RepoState;
	readonly progress: ProgressState;
	readonly latency: LatencyState;
}

export const WORK_FOLDS: Folds<WorkState> = {
	sessions: sessionsFold,
	files: fileFold,
	failures: failureFold,
	decisions: decisionFold,
	intent: intentFold,
	repo: repoFold,
	progress: progressFold,
	latency: latencyFold,
};
