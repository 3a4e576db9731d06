/** What is kept: old events leave for an archive, snapshots of the state are written and removed. */

import { EngineError } from "../base/error/engine-error.ts";
import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { renderTable } from "../base/text/table.ts";
import { projectState } from "../context/project-state.ts";
import { type PruneRequest, pruneLog } from "../context/prune-log.ts";
import type { WrittenSnapshot } from "../log/fold/snapshot.ts";
import type { Log } from "../log/log.ts";
import type { PruneReport } from "../log/retention/prune.ts";
import { takeUnseenPrunes } from "../log/retention/prune-history.ts";
import type { Settings } from "../settings/keys.ts";

/** What a dry run says after its plan. */
export const DRY_RUN = "Nothing was changed. Run it again with --yes to do it.";

export async function pruneEvents(log: Log, settings: Settings, request: PruneRequest): Promise<PruneReport> {
	const report = await pruneLog(log, settings, request);
	if (report.busy) {
		throw new EngineError("refused", "Another process is pruning this log now. Nothing was done here.");
	}
	return report;
}

/** What a host tells its user, once, after events left by themselves. Undefined: nothing left since it was last told. */
export function takePruneNotice(log: Log): string | undefined {
	const untold = takeUnseenPrunes(log);
	if (!untold) return undefined;
	const [archive, ...more] = untold.archives;
	const files = more.length === 0 ? archive : `${archive} and ${plural(more.length, "more archive")}`;
	return `${plural(untold.events, "old tool event")} left the log for ${files}. Messages stay. 'weft import ${archive}' brings them back; 'autoPrune: false' in the settings keeps them.`;
}

export function* renderPrune({ events, bytes, kept, applied, archive, byType }: PruneReport): Generator<string> {
	if (events === 0) {
		yield `Nothing to prune: ${plural(kept, "event")} stay${kept === 1 ? "s" : ""}.`;
		return;
	}
	const what = `${plural(events, "event")} (${formatBytes(bytes)} of JSON)`;
	yield applied ? `${what} left for ${archive}:` : `${what} would leave for an archive:`;
	const rows = Object.entries(byType).map(([type, count]) => [`  ${type}`, formatCount(count)]);
	yield* renderTable([{ title: "" }, { title: "", align: "right" }], rows, { style: "bare" });
	yield `${plural(kept, "event")} ${applied ? "stay" : "would stay"}.`;
	if (applied) yield `'weft import ${archive}' brings them back.`;
}

/** What `weft prune --snapshots --json` prints. */
export interface SnapshotPruning {
	readonly snapshots: number;
	readonly removed: number;
	/** How many stay, or would stay. */
	readonly kept: number;
	readonly applied: boolean;
}

/** Removes all snapshots but the newest `keep` and the base of what was pruned; without `apply` it only counts them. */
export function pruneSnapshots(log: Log, keep: number, { apply }: { readonly apply: boolean }): SnapshotPruning {
	const files = projectState(log).snapshots;
	const snapshots = files.list().length;
	const leaving = files.surplus(keep).length;
	const removed = apply ? files.prune(keep) : 0;
	return { snapshots, removed, kept: snapshots - (apply ? removed : leaving), applied: apply };
}

export function renderSnapshotPruning({ snapshots, removed, kept, applied }: SnapshotPruning): string {
	return applied
		? `${plural(removed, "snapshot")} removed, ${kept} kept.`
		: `${plural(snapshots - kept, "snapshot")} would go, ${kept} would stay.`;
}

export function writeSnapshot(log: Log): WrittenSnapshot {
	if (log.readOnly) throw new EngineError("read-only", `No snapshot was taken: ${log.folder} cannot be written to.`);
	const written = projectState(log).writeSnapshot();
	if (!written) throw new EngineError("not-found", "The log is empty: there is no state to write down.");
	return written;
}

export function renderSnapshot({ seq, path, bytes }: WrittenSnapshot): string {
	return `State at event ${formatCount(seq)} written to ${path} (${formatBytes(bytes)}).`;
}
