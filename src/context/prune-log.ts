/** Prunes by the settings, after a base snapshot: it keeps the state that the pruned events led to. */
import type { StateRunner } from "../log/fold/state-runner.ts";
import type { Log } from "../log/log.ts";
import { type PruneOptions, type PruneReport, prune } from "../log/retention/prune.ts";
import { type ProjectState, projectState } from "./project-state.ts";

/** The options that a person may set; the settings decide the rest. */
export type PruneRequest = Omit<PruneOptions, "before">;

export interface EndOptions {
	/** Called when events were archived, while the log is still open. */
	readonly onPruned?: (() => void) | undefined;
}

export function pruneLog(
	log: Log,
	settings: { readonly pruneDays: number; readonly minEventsToKeep: number },
	request: PruneRequest,
	runner: StateRunner<ProjectState> = projectState(log),
): Promise<PruneReport> {
	return prune(log, {
		...request,
		days: request.days ?? settings.pruneDays,
		minEvents: request.minEvents ?? settings.minEventsToKeep,
		before: () => runner.writeSnapshot({ base: true }),
	});
}
