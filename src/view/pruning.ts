/** Prunes old events into an archive, and writes and removes snapshots of the state. */

import { basename } from "node:path";
import { EngineError } from "../base/error/engine-error.ts";
import { formatBytes, formatCount, plural } from "../base/text/bytes.ts";
import { renderTable } from "../base/text/table.ts";
import { projectState } from "../context/project-state.ts";
import { type PruneRequest, pruneLog } from "../context/prune-log.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { WrittenSnapshot } from "../log/fold/snapshot.ts";
import type { Log } from "../log/log.ts";
import { matchesQuery } from "../log/query-match.ts";
import { type Archived, readArchived } from "../log/retention/archived-events.ts";
import type { PruneReport } from "../log/retention/prune.ts";
import { countPruned, takeUnseenPrunes } from "../log/retention/prune-history.ts";
import type { ReadQuery } from "../log/types.ts";
import type { Settings } from "../settings/keys.ts";
import { wholeLog } from "../state/work/whole-log.ts";

/** Printed after the plan of a dry run. */
export const DRY_RUN = "Nothing was changed. Run it again with --yes to do it.";

export async function pruneEvents(log: Log, settings: Settings, request: PruneRequest): Promise<PruneReport> {
	const report = await pruneLog(log, settings, request);
	if (report.busy) {
		throw new EngineError("refused", "Another process is pruning this log now. Nothing was done.");
	}
	return report;
}

/** The notice that an agent shows once after automatic pruning. Undefined: nothing was pruned since the last notice. */
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

/** The JSON of `weft prune --snapshots`. */
interface SnapshotPruning {
	readonly snapshots: number;
	readonly removed: number;
	/** How many stay, or would stay. */
	readonly kept: number;
	readonly applied: boolean;
}

/** Removes all snapshots but the newest `keep` and the base of the pruned events; without `apply` it only counts them. */
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
	if (log.readOnly) throw new EngineError("read-only", `No snapshot was written: ${log.path} can only be read now.`);
	const written = projectState(log).writeSnapshot();
	if (!written) throw new EngineError("not-found", "The log is empty: there is no state to save.");
	return written;
}

export function renderSnapshot({ seq, path, bytes }: WrittenSnapshot): string {
	return `State at event ${formatCount(seq)} written to ${path} (${formatBytes(bytes)}).`;
}

/** Where pruned events were found. */
export interface PrunedSources {
	readonly archived: number;
	/** Derived again from the messages, because their archive is missing or damaged. */
	readonly derived: number;
	/** The archives that were read. */
	readonly files: readonly string[];
	/** Problems with archives, in sentences. Events that only they held are missing. */
	readonly problems: readonly string[];
}

/** Pruned events that meet a query, oldest first. Undefined: nothing was pruned. */
export async function recallEvents(
	log: Log,
	query: ReadQuery,
): Promise<{ readonly events: readonly EventRecord[]; readonly recalled: PrunedSources } | undefined> {
	if (countPruned(log) === 0) return undefined;
	const { upTo } = query;
	const archived = await readArchived(log, { upTo, wanted: (record) => matchesQuery(record, query) });
	const found = [...archived.events.values()];
	// The messages are read only where an archive fails, because that reads the whole log.
	const derived = archived.isWhole ? [] : deriveEvents(log, query, await readArchived(log, { upTo }));
	const events = [...found, ...derived].sort((one, other) => one.seq - other.seq);
	return { events, recalled: recalledFrom(archived, { archived: found.length, derived: derived.length }) };
}

function deriveEvents(log: Log, query: ReadQuery, archived: Archived): EventRecord[] {
	const whole = wholeLog(log, archived.events);
	return [...whole.read({ upTo: query.upTo })].filter((record) => record.id === "" && matchesQuery(record, query));
}

export function recalledFrom(
	{ files, problems }: Archived,
	counts: { readonly archived: number; readonly derived: number },
): PrunedSources {
	return { archived: counts.archived, derived: counts.derived, files, problems };
}

/** Remarks for the person. */
export function* renderRecalled({ archived, derived, files, problems }: PrunedSources): Generator<string> {
	if (archived > 0) {
		yield `${plural(archived, "event")} of these left the log. Read from ${files.map((file) => basename(file)).join(", ")}.`;
	}
	if (derived > 0)
		yield `${formatCount(derived)} of these left the log and ${derived === 1 ? "was" : "were"} derived again from the messages.`;
	yield* problems;
	if (problems.length > 0) yield "Verdicts and changes by others that only such an archive holds are missing here.";
}
