import { DRY_RUN, pruneEvents, pruneSnapshots, renderPrune, renderSnapshotPruning } from "../../../view/upkeep.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface PruneCommandOptions {
	readonly days?: string;
	readonly minEvents?: string;
	readonly archive?: string;
	readonly gzip?: boolean;
	readonly vacuum?: boolean;
	readonly yes?: boolean;
	readonly snapshots?: string;
}

export async function run(context: Context, _args: readonly string[], options: PruneCommandOptions): Promise<void> {
	const { archive, gzip, vacuum, yes: apply = false } = options;
	const days = wholeNumber("--days", options.days);
	const minEvents = wholeNumber("--min-events", options.minEvents);
	const keep = wholeNumber("--snapshots", options.snapshots);
	const { out } = context;
	const engine = context.openExisting();
	try {
		const { log, settings } = engine;
		if (keep !== undefined) {
			const report = pruneSnapshots(log, keep, { apply });
			if (out.json) return await out.document(report);
			await out.line(renderSnapshotPruning(report));
			if (!apply && report.kept < report.snapshots) out.talk(DRY_RUN);
			return;
		}
		const request = { now: context.now(), days, minEvents, archive, gzip, vacuum, apply };
		const report = await pruneEvents(log, settings, request);
		if (out.json) return await out.document(report);
		await out.lines(renderPrune(report));
		if (!report.applied && report.events > 0) out.talk(DRY_RUN);
	} finally {
		engine.close();
	}
}
