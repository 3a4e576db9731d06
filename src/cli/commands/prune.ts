import { projectState } from "../../context/project-state.ts";
import type { Log } from "../../log/log.ts";
import { type PruneReport, prune } from "../../log/prune.ts";
import { formatBytes, formatCount, plural } from "../../text/bytes.ts";
import { renderTable } from "../../text/table.ts";
import { wholeNumber } from "../arguments.ts";
import type { Context } from "../context.ts";

export interface PruneOptions {
	readonly days?: string;
	readonly minEvents?: string;
	readonly archive?: string;
	readonly gzip?: boolean;
	readonly vacuum?: boolean;
	readonly yes?: boolean;
	readonly snapshots?: string;
}

export async function run(context: Context, _args: readonly string[], options: PruneOptions): Promise<void> {
	const days = wholeNumber("--days", options.days);
	const minEvents = wholeNumber("--min-events", options.minEvents);
	const snapshots = wholeNumber("--snapshots", options.snapshots);
	const engine = context.openExisting();
	try {
		const { settings, log } = engine;
		if (snapshots !== undefined) return await pruneSnapshots(context, log, snapshots, options.yes ?? false);
		const report = await prune(log, {
			now: context.now(),
			days: days ?? settings.pruneDays,
			minEvents: minEvents ?? settings.minEventsToKeep,
			gzip: options.gzip ?? false,
			vacuum: options.vacuum ?? false,
			apply: options.yes ?? false,
			before: () => projectState(log).writeSnapshot({ base: true }),
			...(options.archive === undefined ? {} : { archive: options.archive }),
		});
		if (context.out.json) return await context.out.document(report);
		await context.out.lines(describe(report));
		if (!report.applied && report.events > 0)
			context.out.talk("Nothing was changed. Run it again with --yes to do it.");
	} finally {
		engine.close();
	}
}

async function pruneSnapshots({ out }: Context, log: Log, keep: number, apply: boolean): Promise<void> {
	const files = projectState(log).snapshots;
	const before = files.list().length;
	const leaving = files.surplus(keep).length;
	const removed = apply ? files.prune(keep) : 0;
	const report = { snapshots: before, removed, kept: before - (apply ? removed : leaving), applied: apply };
	if (out.json) return out.document(report);
	await out.line(
		apply
			? `${plural(removed, "snapshot")} removed, ${report.kept} kept.`
			: `${plural(leaving, "snapshot")} would go, ${report.kept} would stay.`,
	);
	if (!apply && leaving > 0) out.talk("Nothing was changed. Run it again with --yes to do it.");
}

function* describe(report: PruneReport): Generator<string> {
	const { events, kept } = report;
	if (events === 0) {
		yield `Nothing to prune: ${plural(kept, "event")} stay${kept === 1 ? "s" : ""}.`;
		return;
	}
	const what = `${plural(events, "event")} (${formatBytes(report.bytes)} of JSON)`;
	yield report.applied ? `${what} left for ${report.archive}:` : `${what} would leave for an archive:`;
	const rows = Object.entries(report.byType).map(([type, count]) => [`  ${type}`, formatCount(count)]);
	yield* renderTable([{ title: "" }, { title: "", align: "right" }], rows, { style: "bare" });
	yield `${plural(kept, "event")} ${report.applied ? "stay" : "would stay"}.`;
	if (report.applied) yield `'weft import ${report.archive}' brings them back.`;
}
