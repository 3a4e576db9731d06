import { DRY_RUN, pruneEvents, pruneSnapshots, renderPrune, renderSnapshotPruning } from "../../../view/pruning.ts";
import type { Call, CommandResult } from "../frame.ts";

export async function run({ context, engine, options }: Call<"prune">): Promise<CommandResult> {
	const { log, settings } = engine;
	const { snapshots, yes: apply, ...bounds } = options;
	if (snapshots !== undefined) {
		const report = pruneSnapshots(log, snapshots, { apply });
		const isDry = !apply && report.kept < report.snapshots;
		return { data: report, lines: () => [renderSnapshotPruning(report)], remarks: isDry ? [DRY_RUN] : [] };
	}
	const report = await pruneEvents(log, settings, { now: context.now(), ...bounds, apply });
	const isDry = !report.applied && report.events > 0;
	return { data: report, lines: () => renderPrune(report), remarks: isDry ? [DRY_RUN] : [] };
}
