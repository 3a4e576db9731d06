/** The tools of the history, and the words about them that go into a system prompt. */
import type { HistoryStats } from "../summary/history.ts";
import { formatCount } from "../text/bytes.ts";
import { decide } from "./decide.ts";
import { lcmDescribe } from "./describe.ts";
import { lcmExpand } from "./expand.ts";
import { lcmGrep } from "./grep.ts";
import type { Tool } from "./types.ts";

export const HISTORY_TOOLS: readonly Tool[] = [lcmGrep, lcmDescribe, lcmExpand];

/** All that a host gives its model. */
export const TOOLS: readonly Tool[] = [...HISTORY_TOOLS, decide];

/** The same bytes in every request: no counts, no times, nothing of the session. */
export const HISTORY_PREAMBLE = `

## Lossless Context Management

This conversation uses lossless context management. Earlier messages have been
compressed into a searchable DAG but are fully recoverable. You have three tools:

- lcm_grep: Search all past messages by regex or text (including compacted ones)
- lcm_describe: Get high-level summaries of conversation sections with DAG lineage
- lcm_expand: Drill into any compressed summary to recover original messages

Do NOT assume information is lost. Always check with these tools before saying
"I don't have that information" or "I don't remember."`;

/** Guidelines with numbers: to be renewed after a compaction, and only then. */
export function historyGuidelines(stats: Pick<HistoryStats, "messages" | "nodes" | "depth">): string[] {
	return [
		`LCM has ${formatCount(stats.messages)} stored messages across ${formatCount(stats.nodes)} summaries (max depth ${stats.depth}).`,
		...HISTORY_TOOLS.flatMap((tool) => tool.promptGuidelines),
	];
}
