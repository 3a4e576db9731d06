import type { Engine } from "../../engine.ts";
import type { SessionRef } from "../../log/session-ref.ts";
import type { TreeEntry } from "../../state/session/tree.ts";

const MAX_ENTRIES_BACK = 200;

/** The newest by time of writing: at the end of a session Claude Code's file has lines that follow nothing. */
export function findNewest(
	{ log, history }: Engine,
	ref: SessionRef,
	isWanted: (entry: TreeEntry) => boolean,
): TreeEntry | undefined {
	const query = { ...ref, types: ["Message", "Entry"], order: "newest", limit: MAX_ENTRIES_BACK } as const;
	for (const { seq } of log.read(query)) {
		const entry = history.tree.get(seq);
		if (entry && isWanted(entry)) return entry;
	}
	return undefined;
}

export function isCompaction({ role, kind }: TreeEntry): boolean {
	return role === "compactionSummary" || kind === "compaction";
}
