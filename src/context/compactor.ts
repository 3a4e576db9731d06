/** Compacts a project's sessions by its settings. */
import { type Compaction, type CompactOptions, compact } from "../state/history/compact.ts";
import type { History } from "../state/history/history.ts";
import type { HistorySettings } from "../state/history/types.ts";

export function compactor(
	history: History,
	{
		leafChunkTokens,
		condensationThreshold,
		maxDepth,
	}: Pick<HistorySettings, "leafChunkTokens" | "condensationThreshold" | "maxDepth">,
	now: () => number,
): (options: CompactOptions) => Promise<Compaction> {
	return async (given) => {
		const sizes = { leafChunkTokens, condensationThreshold, maxDepth, ...given.settings };
		const compaction = await compact(history, { now, ...given, settings: sizes });
		// A seal waits for the summaries, but not for the disk.
		if (compaction.compacted) history.log.checkpointSoon();
		return compaction;
	};
}
