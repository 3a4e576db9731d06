/** Reads pruned events for views of the past, and renders where they came from. */
import { basename } from "node:path";
import { formatCount, plural } from "../base/text/bytes.ts";
import type { EventRecord } from "../log/event/types.ts";
import type { Log } from "../log/log.ts";
import { matchesQuery } from "../log/query-match.ts";
import { type Archived, readArchived } from "../log/retention/archived-events.ts";
import { countPruned } from "../log/retention/prune-history.ts";
import type { ReadQuery } from "../log/types.ts";
import { wholeLog } from "../state/work/whole-log.ts";

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
