import { EngineError } from "../../../base/error/engine-error.ts";
import { findSession } from "../../../state/session/find-session.ts";
import { forgetProject, forgetSession, NO_ARCHIVE, renderForgotten } from "../../../view/forget.ts";
import {
	DRY_RUN,
	pruneEvents,
	pruneSnapshots,
	renderPrune,
	renderSnapshot,
	renderSnapshotPruning,
	writeSnapshot,
} from "../../../view/pruning.ts";
import type { CommandModule } from "../frame.ts";

export const pruneCommand: CommandModule<"prune"> = {
	check({ context }) {
		context.refuseBadSettings();
	},
	async run({ context, engine, options }) {
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
	},
};

export const forgetCommand: CommandModule<"forget"> = {
	check({ args: [session], options }) {
		if ((session === undefined) !== options.all)
			throw new EngineError("usage", "weft forget takes a SESSION, or --all for the whole project.");
	},
	async run({ context, engine, args: [session], options }) {
		const { log, close, settings } = engine;
		const archive = options.noArchive ? NO_ARCHIVE : options.archive;
		const request = { now: context.now(), archive, apply: options.yes };
		const forgotten =
			session === undefined
				? await forgetProject(log, { ...request, close })
				: await forgetSession(log, findSession(log, session).session, request);
		const inFleet = `The fleet keeps its copy: an owner removes it with 'weft fleet forget ${session}'.`;
		const isShipped = session !== undefined && settings["fleet.url"] !== null;
		return {
			data: forgotten,
			lines: () => renderForgotten(forgotten),
			remarks: !forgotten.applied ? [DRY_RUN] : isShipped ? [inFleet] : [],
		};
	},
};

export const snapshotCommand: CommandModule<"snapshot"> = {
	run({ engine }) {
		const written = writeSnapshot(engine.log);
		return { data: written, lines: () => [renderSnapshot(written)] };
	},
};
